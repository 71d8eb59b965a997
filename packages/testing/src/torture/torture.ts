// Torture: runs a scenario again and again with everything that goes wrong in the field, one thing at a time, and compares each end with that
// of the undisturbed run. Everything is in virtual time and deterministic, so whatever is found can be repeated exactly.
import { runCampaign } from "./campaign.js";
import type { WritePoint } from "./disturber.js";
import { Exploration } from "./exploration.js";
import { crashPlans, interleaving, stalePlans } from "./plans.js";
import { type PlannedRun, parseReplay } from "./replay.js";
import { runOptions, type TortureOptions, type TortureReport, tortureModes } from "./torture-options.js";
import type { RunOptions } from "./torture-run.js";

/**
 * Runs a scenario again and again with crashes, faults, stale caches and other objects, and reports what ends differently.
 *
 * @example
 * const { findings } = await torture({ manager, resources: [ModelBox], scenario: objectsScenario([modelBox]) });
 * expect(findings).toEqual([]);
 */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const replay = options.replay === undefined ? undefined : parseReplay(options.replay);
  const run = runOptions(options);
  return runCampaign(run, options, (writes) => (replay ? [replay] : plannedRuns(options, run, writes)));
}

/** All runs, the simple ones first. */
function plannedRuns(
  options: TortureOptions,
  { definition, scenario }: RunOptions,
  writes: readonly WritePoint[],
): readonly PlannedRun[] {
  const { modes = tortureModes, seeds = 20, seed = "torture" } = options;
  const { index, count } = options.shard ?? { index: 1, count: 1 };
  const numbers = Array.from({ length: seeds }, (_, number) => number);
  const plans = [
    ...(modes.includes("crashes") ? crashPlans(writes) : []),
    ...(modes.includes("staleness") ? stalePlans(writes, definition) : []),
    ...(modes.includes("interleavings")
      ? numbers.map((number) => interleaving(seed, number, writes, definition))
      : []),
  ];
  const walks = modes.includes("states") ? Exploration.walks(scenario, seed, numbers) : [];
  const all = [...plans.map((plan) => ({ plan })), ...walks.map((walk) => ({ walk }))];
  return all.filter((_, number) => number % count === index - 1);
}
