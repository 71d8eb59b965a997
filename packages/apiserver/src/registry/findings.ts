// What the rules of a kind found, however they came to know.
import type { FieldError } from "@kubewright/api";
import { isPutOff } from "../request/check-each.js";
import type { RequestContext } from "../request/context.js";
import type { Findings } from "./strategy.js";

/** Tells whoever asked what the rules of a kind would rather not see. */
export async function warn(
  context: RequestContext,
  warnings: string[] | string[] | undefined,
): Promise<void> {
  if (warnings === undefined) return;
  const texts = Array.isArray(warnings) ? warnings : warnings;
  // There may be more of them than arguments a function takes.
  for (const text of texts) context.warnings.push(text);
}

/** Resolves to the errors; those found step by step are found in turns, at once in process, where everything has its order. */
export function errorsOf(
  { turns }: RequestContext,
  findings: Findings | undefined,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  if (findings === undefined) return [];
  const isList = Array.isArray(findings);
  if (isList && !isPutOff(findings)) return findings;
  if (!isList && !("next" in findings)) return findings;
  return isList ? findings : allIn(findings);
}

function allIn(steps: FieldError[]): readonly FieldError[] {
  return steps;
}
