// The success policy of an indexed Job.
import type { Job, SuccessPolicyRule } from "@kubewright/api";
import { parseIndexes } from "./indexes.js";

/** The message for the first rule that the completed indexes meet; undefined when none is met. */
export function metSuccessRule({ spec }: Job, completed: ReadonlySet<number>): string | undefined {
  if (completed.size === 0) return undefined;
  const rules = spec?.successPolicy?.rules ?? [];
  const index = rules.findIndex((rule) => isMet(rule, completed, spec?.completions ?? 0));
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}

function isMet(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  completed: ReadonlySet<number>,
  completions: number,
): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount;
  const needed = [...parseIndexes(succeededIndexes)].filter((index) => index < completions);
  const there = needed.filter((index) => completed.has(index)).length;
  return needed.length > 0 && there >= (succeededCount ?? needed.length);
}
