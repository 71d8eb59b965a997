// Terminals of containers, by `script`: it gives a program a terminal of its own, and passes on what comes and goes.
import { readFileSync } from "node:fs";
import type { ExecRequest } from "../rules/rule.js";
import type { TerminalSize } from "../streaming/terminal-sizes.js";
import { childrenOf } from "./container-process.js";
import { quote } from "./container-root.js";
import type { Isolation } from "./machine.js";

/** How often the size of a client's window is looked at, in milliseconds. */
const sizeInterval = 200;

/** The command that runs another one in a terminal. */
export function inTerminal(
  command: readonly string[],
  { tools: { script } }: Isolation,
  { rows, columns }: TerminalSize = { rows: 24, columns: 80 },
): readonly string[] {
  if (script === undefined)
    throw new Error('a terminal needs the program "script" (package bsdutils or util-linux)');
  const words = command.map(quote).join(" ");
  return [script, "-qefc", `stty rows ${rows} cols ${columns}; exec ${words}`, "/dev/null"];
}

/**
 * Clients send sizes as they change; a program is notified by its terminal, which `run` is to set the size of. `known` is the size that it
 * has already.
 */
export function followSize(
  call: ExecRequest,
  pid: number,
  run: (command: readonly string[]) => void,
  known?: TerminalSize,
): ReturnType<typeof setInterval> {
  let last = JSON.stringify(known ?? null);
  const timer = setInterval(() => {
    const size = call.size();
    if (!size || JSON.stringify(size) === last) return;
    last = JSON.stringify(size);
    const inner = lastDescendant(pid);
    if (inner === undefined) return;
    run(["sh", "-c", `stty -F /proc/${innerNumber(inner)}/fd/0 rows ${size.rows} cols ${size.columns}`]);
  }, sizeInterval);
  timer.unref();
  return timer;
}

function lastDescendant(pid: number): number | undefined {
  const [child] = childrenOf(pid);
  return child === undefined ? undefined : (lastDescendant(child) ?? child);
}

/** The number that a process has in its own namespace. */
function innerNumber(pid: number): number {
  try {
    const [, numbers = ""] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(numbers.trim().split(/\s+/).at(-1));
  } catch {
    return pid;
  }
}
