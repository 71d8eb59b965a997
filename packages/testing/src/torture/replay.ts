// The text of a run, which repeats it exactly.
import { type Action, isWalkText, parseWalk } from "./action.js";
import { parseDisturbances } from "./disturbance.js";
import type { Plan } from "./plans.js";

/** One run of a campaign: with disturbances at writes, or a walk. */
export type PlannedRun = { readonly plan: Plan } | { readonly walk: readonly Action[] };

/** Reads the text of a run; throws a TypeError that names the word it cannot read. */
export function parseReplay(text: string): PlannedRun {
  return isWalkText(text) ? { walk: parseWalk(text) } : { plan: parseDisturbances(text) };
}
