// What the options that `run` and `dev` share say.
import type { LogLevel } from "@kubewright/runtime";
import { UsageError } from "../command.js";
import type { OperatorLogOptions } from "./operator-log.js";

/** Reads a port; undefined when none is given. */
export function portOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--${option} ${text}: a number from 0 to 65535 is needed`);
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

export function logOptionsOf(values: {
  readonly "log-level"?: string | undefined;
  readonly "log-format"?: string | undefined;
}): OperatorLogOptions {
  const format = values["log-format"];
  return {
    level: levels.find((level) => level === values["log-level"]),
    ...(format === "text" || format === "json" ? { format } : {}),
  };
}
