// Schemas can be wrong in a hundred thousand places, which is more than anyone is told of and more arguments than a function takes.
import type { FieldError } from "@kubewright/api";

/** As many as an answer tells of. */
const mostErrors = 10_000;

/** Adds errors to those that were found before, until there are enough. */
export function appendErrors(errors: FieldError[], more: readonly FieldError[]): void {
  const room = mostErrors - errors.length;
  for (const error of more.length > room ? more.slice(0, Math.max(0, room)) : more) errors.push(error);
}
