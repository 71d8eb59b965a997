// Structured logs behind an interface: libraries log, `main` decides where it goes.
import type { Clock } from "@kubewright/api";
import { withoutSecretContents } from "./secret-contents.js";

/** How urgent a log message is, from `debug` to `error`. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** The fields of a message. Errors are written with message, cause and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes structured log messages: a text and fields, at a level. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every message. */
  with(fields: LogFields): Logger;
  /** Whether messages of this level are written, so that callers need not prepare those that are not. Without it, all are. */
  writes?(level: LogLevel): boolean;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Options of a logger. */
export interface LoggerOptions {
  /** Less important messages are dropped. Default: none is. */
  readonly level?: LogLevel | "none" | undefined;
  /** Part of every message. */
  readonly fields?: LogFields | undefined;
}

/** A logger over one function, which is called with the fields of the logger and of the message. */
export function createLogger(
  write: (level: LogLevel, message: string, fields: LogFields) => void,
  { level: least = "debug", fields = {} }: LoggerOptions = {},
): Logger {
  const writes = (level: LogLevel): boolean =>
    least !== "none" && levels.indexOf(level) >= levels.indexOf(least);
  const at = (level: LogLevel) =>
    writes(level)
      ? (message: string, more?: LogFields): void =>
          write(level, message, more ? { ...fields, ...more } : fields)
      : (): void => undefined;
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (more) => createLogger(write, { level: least, fields: { ...fields, ...more } }),
    writes,
  };
}

/** Options of the JSON logger. */
export interface JsonLoggerOptions {
  readonly clock: Clock;
  /** Takes one line, without its end. */
  readonly write: (line: string) => void;
  /** Less important messages are dropped. Default: `info`. */
  readonly level?: LogLevel | undefined;
}

/**
 * One line of JSON per message, as log collectors read it.
 *
 * @example
 * const log = jsonLogger({ clock: systemClock, write: (line) => process.stderr.write(`${line}\n`) });
 */
export function jsonLogger({ clock, write, level: least = "info" }: JsonLoggerOptions): Logger {
  return createLogger(
    (level, message, fields) => {
      const time = new Date(clock.now()).toISOString();
      write(JSON.stringify({ level, time, msg: message, ...fields }, printable));
    },
    { level: least },
  );
}

/** Drops all messages. */
export const silentLogger: Logger = createLogger(() => undefined, { level: "none" });

function printable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  const shown = withoutSecretContents(value);
  if (!(shown instanceof Error)) return value;
  const { name, message, stack, cause } = shown;
  return { name, message, stack, ...(cause === undefined ? {} : { cause }) };
}
