// A schema can have more errors than an answer should hold, and more than a function takes as arguments.
import type { FieldError } from "@kubewright/api";

/** The number of errors that are reported. */
const mostErrors = 10_000;

/** Adds errors to those that were found before, until there are enough. */
export function appendErrors(errors: FieldError[], more: readonly FieldError[]): void {
  const room = mostErrors - errors.length;
  for (const error of more.length > room ? more.slice(0, Math.max(0, room)) : more) errors.push(error);
}
