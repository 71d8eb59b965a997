import { ConfigError } from "@kubewright/client";
import { type ContextChoice, connect } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { examine } from "../cluster-commands/doctor/examine.js";
import { type Finding, problem } from "../cluster-commands/doctor/finding.js";
import { remedyFor } from "../cluster-commands/remedies.js";
import { defineCommand, exitStatus, type Options } from "../command.js";
import type { Operator } from "../manifests/operator.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { coloursFor } from "../terminal.js";
import { contextOptions, deployedOptions, outputOption } from "./shared-options.js";

const options = { ...deployedOptions, ...contextOptions, output: outputOption } as const satisfies Options;

/** `kubewright doctor`: what would stop this operator on this cluster, in the order it would. */
export const doctorCommand = defineCommand({
  example: "kubewright doctor --context staging",
  options,
  async run({ values }) {
    const { root, definition } = await loadProject(projectRoot());
    const operator = deployedOperator(root, definition, values);
    const findings = await examineOn(values, operator);
    await printResult(values.output, { findings }, () => shown(findings));
    return findings.some(({ state }) => state === "problem") ? exitStatus.problemsFound : exitStatus.done;
  },
});

/** No kubeconfig to speak of is the first thing that would stop the operator. */
async function examineOn(choice: ContextChoice, operator: Operator): Promise<readonly Finding[]> {
  const connection = await connect(choice).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (connection instanceof ConfigError)
    return [problem("reachable", connection.message, remedyFor(connection) ?? "")];
  const { client, description } = connection;
  try {
    return await examine({ client, cluster: description, operator });
  } finally {
    await client.close();
  }
}

function shown(findings: readonly Finding[]): string {
  const { green, yellow, red, dim } = coloursFor();
  const marks = {
    ok: green("ok     "),
    warning: yellow("warning"),
    problem: red("problem"),
    unknown: dim("unknown"),
  };
  return findings
    .flatMap(({ check, state, message, remedy }) => [
      `${marks[state]}  ${check.padEnd(12)} ${message}`,
      ...(remedy === undefined ? [] : [`${" ".repeat(22)} → ${remedy}`]),
    ])
    .join("\n");
}
