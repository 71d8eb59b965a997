// How the operator's log is shown: lines for people at a terminal, JSON for programs.
import { systemClock } from "@kubewright/api";
import { jsonLogger, type Logger, type LogLevel } from "@kubewright/runtime";
import { terminalLogger } from "@kubewright/runtime/main";

export interface OperatorLogOptions {
  readonly level?: LogLevel | undefined;
  readonly format?: "text" | "json" | undefined;
}

/** Of the project in a folder. Writes to standard error, so that what the command itself prints can be told apart. */
export function operatorLog(root: string, { level, format }: OperatorLogOptions): Logger {
  const { stderr, env } = process;
  const write = (line: string): void => void stderr.write(`${line}\n`);
  if ((format ?? (stderr.isTTY ? "text" : "json")) === "json")
    return jsonLogger({ clock: systemClock, write, level });
  return terminalLogger({
    clock: systemClock,
    write,
    level,
    root,
    colour: Boolean(stderr.isTTY) && !env["NO_COLOR"],
  });
}
