// The agent's side: reads the task from the environment, and reports through the termination message of its container.
import { writeFile } from "node:fs/promises";
import type { Environment } from "@kubewright/client";
import { agentTaskVariable } from "./agent-pod.js";

/** The kubelet cuts longer messages, and JSON that was cut cannot be read. */
const longestMessage = 4_096;

/** Where an agent reports to; tests have other places. */
export interface AgentOutput {
  /** Default: /dev/termination-log. */
  readonly terminationLog?: string | undefined;
  /** Prints a line. Default: on the standard output. */
  readonly print?: ((line: string) => void) | undefined;
}

/**
 * Does the task that `agentPod` was given, and reports the result or the error to `agentEnd`; returns the exit code.
 *
 * @example
 * if (process.argv[2] === "agent") process.exit(await runAgent(process.env, (task: Task) => takeBackup(task)));
 */
export async function runAgent<Task>(
  env: Environment,
  work: (task: Task) => Promise<object>,
  output: AgentOutput = {},
): Promise<number> {
  try {
    const task = JSON.parse(env[agentTaskVariable] ?? "null") as Task | null;
    if (!task) throw new Error(`${agentTaskVariable} is not set: the operator starts agents, in pods`);
    await report(JSON.stringify(await work(task)), output);
    return 0;
  } catch (error) {
    await report(errorReport(error instanceof Error ? error.message : String(error)), output);
    return 1;
  }
}

/** The error as JSON, cut so that all of it fits. */
function errorReport(message: string): string {
  const text = JSON.stringify({ error: message });
  return Buffer.byteLength(text) <= longestMessage
    ? text
    : errorReport(`${message.slice(0, Math.floor(message.length / 2))}…`);
}

async function report(text: string, { terminationLog = "/dev/termination-log", print }: AgentOutput) {
  if (print) print(text);
  else process.stdout.write(`${text}\n`);
  // Outside a pod there is no such file.
  await writeFile(terminationLog, text).catch(() => undefined);
}
