// How the operator's log is shown: lines for people at a terminal, JSON for programs.
import { systemClock } from "@kubewright/api";
import { jsonLogger, type Logger, type LogLevel } from "@kubewright/runtime";
import { terminalLogger } from "@kubewright/runtime/main";
import { withoutControls } from "../terminal.js";
import type { FoldedLines } from "./folded-lines.js";

export interface OperatorLogOptions {
  readonly level?: LogLevel | undefined;
  readonly format?: "text" | "json" | undefined;
  /** Takes lines of text, and folds those that repeat. Default: none are folded. */
  readonly lines?: FoldedLines | undefined;
}

/** The log of a project's operator. Writes to standard error, so that what the command itself prints can be told apart. */
export function operatorLog(root: string, { level, format, lines }: OperatorLogOptions): Logger {
  const { stderr, env } = process;
  const write = (text: string): void => {
    const line = withoutControls(text);
    if (lines) lines.print(withoutDetails(line), withoutDetails(line).replace(/\d\d:\d\d:\d\d/, ""));
    else stderr.write(`${line}\n`);
  };
  if ((format ?? (stderr.isTTY ? "text" : "json")) === "json")
    return jsonLogger({ clock: systemClock, write: (line) => void stderr.write(`${line}\n`), level });
  return terminalLogger({
    clock: systemClock,
    write,
    level,
    root,
    colour: Boolean(stderr.isTTY) && !env["NO_COLOR"],
  });
}

/** A line that is folded has nothing in it that differs from one attempt to the next. */
const withoutDetails = (line: string): string =>
  line.replace(/ reconcileID=\S+/, "").replace(/ reasons=\[.*?\]/, "");
