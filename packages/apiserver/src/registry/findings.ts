// What the rules of a kind found, however they came to know.
import type { FieldError } from "@kubewright/api";
import { allErrors, isPutOff } from "../request/check-each.js";
import type { RequestContext } from "../request/context.js";
import { inTurns, Turns } from "../request/turns.js";
import type { Steps } from "../steps.js";
import type { Findings } from "./strategy.js";

/** Tells whoever asked what the rules of a kind would rather not see. */
export async function warn(
  context: RequestContext,
  warnings: string[] | Steps<string[]> | undefined,
): Promise<void> {
  if (warnings === undefined) return;
  const { turns, services } = context;
  const texts = Array.isArray(warnings)
    ? warnings
    : await inTurns(turns ?? new Turns(services.turns), warnings);
  // There may be more of them than arguments a function takes.
  for (const text of texts) context.warnings.push(text);
}

/** Resolves to the errors; those found step by step are found in turns, for a short body may say a lot too: expressions. */
export function errorsOf(
  { turns, services }: RequestContext,
  findings: Findings | undefined,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  if (findings === undefined) return [];
  const isList = Array.isArray(findings);
  if (isList && !isPutOff(findings)) return findings;
  if (!isList && !("next" in findings)) return findings;
  return inTurns(turns ?? new Turns(services.turns), isList ? allErrors(findings) : allIn(findings));
}

function* allIn(steps: Steps<FieldError[]>): Steps<readonly FieldError[]> {
  return yield* allErrors(yield* steps);
}
