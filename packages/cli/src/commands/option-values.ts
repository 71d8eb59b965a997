// Values of options that are more than words.
import { resolve } from "node:path";
import { durationToMilliseconds } from "@kubewright/api";
import { UsageError } from "../command.js";

/** What stands behind an option, or that it was given. */
export type Value = string | boolean | undefined;

/** A whole number that is not too large. */
export function numberOf(value: Value, option: string, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value !== "" && Number.isInteger(number) && number >= 0 && number <= most) return number;
  throw new UsageError(`--${option} ${value}: a number from 0 to ${most} is needed`);
}

/** Milliseconds, which are more than none unless none may be. */
export function durationOf(
  value: Value,
  option: string,
  { zero = false }: { readonly zero?: boolean } = {},
): number | undefined {
  if (value === undefined) return undefined;
  try {
    const milliseconds = durationToMilliseconds(String(value));
    if (milliseconds > 0 || (zero && milliseconds === 0)) return milliseconds;
  } catch {
    // Said below.
  }
  throw new UsageError(`--${option} ${value}: a duration such as 90m or 1h is needed`);
}

/** A path, from where the command was called. */
export const pathOf = (value: Value): string | undefined =>
  typeof value === "string" && value !== "" ? resolve(value) : undefined;
