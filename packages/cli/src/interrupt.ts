// When a command that runs until it is stopped stops: on a signal, or when npm, which started it, is gone.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isAlive } from "./is-alive.js";

const lookEvery = 500;

/** One Ctrl-C can arrive twice: from the terminal and from npm, make or `timeout`, which pass it on. */
const sameInterrupt = 1000;

/** Resolves on the first SIGINT, SIGTERM or SIGHUP; one that comes later, while the command cleans up, ends the process at once. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    let since: number | undefined;
    const stop = (): void => {
      if (since !== undefined && performance.now() - since > sameInterrupt) process.exit(130);
      since ??= performance.now();
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    whenNpmIsGone(resolve);
  });
}

/**
 * npm and npx put a shell between themselves and what they run, and neither passes SIGTERM on: a cluster started by
 * `npx kubewright cluster` would go on for ever. What is started by npm therefore watches it.
 */
function whenNpmIsGone(stop: () => void): void {
  const { npm_command: command, npm_lifecycle_event: script } = process.env;
  if (command === undefined && script === undefined) return;
  const { ppid } = process;
  const shell = describe(ppid);
  const npm = shell && isShell.test(shell.command) ? shell.parent : ppid;
  const timer = setInterval(() => {
    if (process.ppid === ppid && isAlive(npm)) return;
    clearInterval(timer);
    stop();
  }, lookEvery);
  timer.unref();
}

const isShell = /(^|\/)(ba|da|a|z|k)?sh$|(^|\/)busybox$/;

interface ProcessDescription {
  readonly parent: number;
  readonly command: string;
}

/** Undefined where the system does not say. */
function describe(pid: number): ProcessDescription | undefined {
  try {
    // Linux: `123 (sh) S 45 …`.
    const [, command = "", parent] =
      /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return { command, parent: Number(parent) };
  } catch {
    return describeWithPs(pid);
  }
}

function describeWithPs(pid: number): ProcessDescription | undefined {
  try {
    const options = { encoding: "utf8", timeout: 5000 } as const;
    const text = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], options);
    const [, parent, command = ""] = /^\s*(\d+)\s+(.*?)\s*$/.exec(text) ?? [];
    return parent === undefined ? undefined : { parent: Number(parent), command };
  } catch {
    return undefined;
  }
}
