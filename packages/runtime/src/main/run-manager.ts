// The process of a manager: what a bundled main.js does on plain Node.
//
// It is the one place of this library that uses a process, and only the one it is given.
import { hostname } from "node:os";
import { systemClock } from "@kubewright/api";
import type { Environment } from "@kubewright/client";
import { jsonLogger, type Logger } from "../logging/logger.js";
import type { ManagerDefinition } from "../manager/define-manager.js";
import { mainUsage, parseMainSettings } from "./main-flags.js";
import type { MainSettings } from "./main-settings.js";
import { openManager } from "./open-manager.js";
import { keepHeapSmall } from "./small-heap.js";
import { terminalLogger } from "./terminal-logger.js";

/** The part of a process that is used; Node's `process` has it. */
export interface MainProcess {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly pid: number;
  readonly stdout: Output;
  readonly stderr: Output;
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  removeListener(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): never;
}

interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/**
 * Runs a manager until the process is signalled to stop, and returns its exit status: 0, 1 when the manager could not start, 2 for flags
 * that are not valid. A second signal ends the process at once.
 *
 * @example
 * import { runManager } from "@kubewright/runtime/main";
 * import definition from "./main.js";
 * process.exitCode = await runManager(definition, process);
 */
export async function runManager(definition: ManagerDefinition, process: MainProcess): Promise<number> {
  const settings = settingsOf(definition, process);
  if (typeof settings === "number") return settings;
  if (settings.tune !== false) keepHeapSmall();
  const log = loggerFor(process, settings);
  const stop = stopSignal(process);
  try {
    const starting = openManager(definition, settings, {
      env: process.env,
      log,
      identity: identityOf(process),
    });
    const manager = await starting;
    await stop.received;
    log.info("stopping");
    await manager.close();
    return 0;
  } catch (error) {
    log.error("cannot start", { error });
    return 1;
  } finally {
    stop.forget();
  }
}

/** Leases and messages of other replicas have this name, so that a person can find it. */
function identityOf({ env, pid }: MainProcess): string {
  return `${env["POD_NAME"] || `${hostname()}_${pid}`}_${crypto.randomUUID()}`;
}

function settingsOf(
  { name }: ManagerDefinition,
  { argv, env, stdout, stderr }: MainProcess,
): MainSettings | number {
  try {
    const settings = parseMainSettings(argv.slice(2), env);
    if (settings) return settings;
    stdout.write(mainUsage(name));
    return 0;
  } catch (error) {
    stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function loggerFor({ stderr, env }: MainProcess, { logFormat, logLevel: level }: MainSettings): Logger {
  const write = (line: string): void => void stderr.write(`${line}\n`);
  if ((logFormat ?? (stderr.isTTY ? "text" : "json")) === "json")
    return jsonLogger({ clock: systemClock, write, level });
  return terminalLogger({
    clock: systemClock,
    write,
    level,
    colour: Boolean(stderr.isTTY) && !env["NO_COLOR"],
  });
}

function stopSignal(process: MainProcess): { readonly received: Promise<void>; forget(): void } {
  let listener = (): void => undefined;
  const received = new Promise<void>((resolve) => {
    let isStopping = false;
    listener = () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve();
    };
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, listener);
  const forget = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, listener);
  };
  return { received, forget };
}
