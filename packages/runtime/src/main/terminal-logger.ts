// Logs for people: one short line each, errors with their causes, and with their stacks only at debug.
import type { Clock } from "@kubewright/api";
import { createLogger, type LogFields, type Logger, type LogLevel } from "../logging/logger.js";
import { withoutSecretContents } from "../logging/secret-contents.js";
import { sourceLineOf } from "./source-line.js";

/** Options of the logger for terminals. */
export interface TerminalLoggerOptions {
  readonly clock: Clock;
  /** Takes one line, without its end. */
  readonly write: (line: string) => void;
  /** Less important messages are dropped. Default: `info`. */
  readonly level?: LogLevel | undefined;
  readonly colour?: boolean | undefined;
  /** The folder of the sources being worked on: errors are shown with the place in them that they came from. */
  readonly root?: string | undefined;
}

const colours: Readonly<Record<LogLevel, string>> = { debug: "90", info: "32", warn: "33", error: "31" };

/** `12:00:01 ERROR reconcile failed  controller=modelbox namespace=shop name=web: no such image`. */
export function terminalLogger({
  clock,
  write,
  level: least = "info",
  colour = false,
  root,
}: TerminalLoggerOptions): Logger {
  const painted = (code: string, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return createLogger(
    (level, message, fields) => {
      const time = new Date(clock.now()).toISOString().slice(11, 19);
      const { error, manager: _manager, ...rest } = fields;
      const head = `${painted("90", time)} ${painted(colours[level], level.toUpperCase().padEnd(5))} ${message}`;
      const reason = error === undefined ? "" : `: ${reasonOf(error)}`;
      const place = root === undefined ? undefined : sourceLineOf(error, root);
      write(`${head}${painted("90", pairs(rest))}${reason}${place ? painted("90", ` (${place})`) : ""}`);
    },
    { level: least },
  );
}

function pairs(fields: LogFields): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  return shown.map(([name, value], index) => `${index === 0 ? "  " : " "}${name}=${textOf(value)}`).join("");
}

function textOf(value: unknown): string {
  if (value instanceof Error) return reasonOf(value);
  if (typeof value === "bigint") return value.toString();
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return /[\s"]/.test(text) && typeof value === "string" ? JSON.stringify(text) : text;
}

/** The message and those of its causes, each once. */
function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (
    let each = withoutSecretContents(error);
    each !== undefined && parts.length < 5;
    each = each instanceof Error ? each.cause : undefined
  ) {
    const text = each instanceof Error ? each.message || each.name : String(each);
    if (!parts.some((part) => part.includes(text))) parts.push(text);
  }
  return parts.join(": ");
}
