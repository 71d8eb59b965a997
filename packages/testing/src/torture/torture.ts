// Torture: runs a scenario again and again with everything that goes wrong in the field, one thing at a time, and compares each end with that
// of the undisturbed run. Everything is in virtual time and deterministic, so whatever is found can be repeated exactly.
import { defineManager, type ManagerDefinition } from "@kubewright/runtime";
import type { TestClusterOptions } from "../test-cluster-options.js";
import type { Duration } from "../test-time.js";
import { type Action, walkText } from "./action.js";
import { type Disturbance, describeDisturbance, disturbanceText } from "./disturbance.js";
import type { WritePoint } from "./disturber.js";
import { Exploration } from "./exploration.js";
import type { ObjectStates } from "./object-state.js";
import { crashPlans, interleaving, type Plan, stalePlans } from "./plans.js";
import { type PlannedRun, parseReplay } from "./replay.js";
import type { Scenario } from "./scenario.js";
import { shrink, type Times } from "./shrink.js";
import { type Complaint, type Invariant, type RunOptions, runScenario } from "./torture-run.js";

/**
 * - `crashes`: at every write a crash before and after it, a failure, a lost answer, a conflict, and a deletion and an edit by somebody else.
 * - `staleness`: at every write, changes of each watched kind are not seen for a while, alone and with a lost answer or a crash; after a crash
 *   an older state is seen.
 * - `interleavings`: random delays of writes, of timers and of what is seen, from seeds.
 * - `states`: random walks through generated objects, from seeds, while children are deleted and edited.
 */
export type TortureMode = "crashes" | "staleness" | "interleavings" | "states";

/** All of them. */
export const tortureModes: readonly TortureMode[] = ["crashes", "staleness", "interleavings", "states"];

/** Options of `torture`. */
export interface TortureOptions
  extends Omit<TestClusterOptions, "connect" | "clock" | "leaks" | "middleware" | "managerClock"> {
  readonly scenario: Scenario;
  /**
   * What the operator reaches outside of the cluster, made anew for each run; returns what loads the manager around it, at the beginning and
   * after every crash. Takes the place of `reload`.
   */
  readonly outside?: ((now: () => number) => () => ManagerDefinition) | undefined;
  /** Further things that always hold at rest. */
  readonly invariants?: readonly Invariant[] | undefined;
  /**
   * Fields that may differ from run to run: `status.lastRun`, those of one kind as in `Secret.data`, those of a name at any depth as in
   * `*.lastRun`.
   */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Fields, or whole kinds, that depend on the past: they are not compared after a walk. Observed generations and messages are among them.
   */
  readonly byHistory?: readonly string[] | undefined;
  /** Parts of the paths of writes that go on for ever on purpose, such as a measurement in a status: `/etcdclusters/`. */
  readonly periodicWrites?: readonly string[] | undefined;
  /** How long everything is given to come to rest after each step, in virtual time. Default: two minutes. */
  readonly rest?: Duration | undefined;
  /** Default: all. */
  readonly modes?: readonly TortureMode[] | undefined;
  /** The number of random interleavings, and of random walks. Default: 20. */
  readonly seeds?: number | undefined;
  /** Ends after so many findings. Default: 10. */
  readonly mostFindings?: number | undefined;
  /** Only this run, as a finding names it, instead of all of them. */
  readonly replay?: string | undefined;
  /** Called after each run. */
  readonly onRun?: ((done: number, all: number) => void) | undefined;
}

/** What a project says of how it is to be tortured: the default export of `src/torture.ts`. */
export type TortureSettings = Partial<Omit<TortureOptions, "replay" | "onRun" | "resources">>;

/** A run that did not end as it should, in its shortest form. */
export interface Finding extends Complaint {
  /** What was done, in words; empty when nothing was disturbed. */
  readonly sequence: readonly string[];
  /** The text that repeats it; empty when nothing was disturbed. */
  readonly replay: string;
}

/** The result of `torture`. */
export interface TortureReport {
  /** The writes of the undisturbed run. */
  readonly writes: readonly WritePoint[];
  readonly runs: number;
  readonly findings: readonly Finding[];
}

/**
 * Tortures an operator.
 *
 * @example
 * const { findings } = await torture({ manager, resources: [ModelBox], scenario: objectsScenario([modelBox]) });
 * expect(findings).toEqual([]);
 */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const replay = options.replay === undefined ? undefined : parseReplay(options.replay);
  const run = runOptions(options);
  const { writes, states, complaints } = await runScenario(run, []);
  const [first] = complaints;
  if (first) return { writes, runs: 1, findings: [{ ...first, sequence: [], replay: "" }] };
  const campaign = new Campaign(run, states, options);
  await campaign.runAll(replay ? [replay] : plannedRuns(options, run, writes));
  return { writes, runs: campaign.runs + 1, findings: campaign.findings };
}

/** All runs, the simple ones first. */
function plannedRuns(
  options: TortureOptions,
  { definition, scenario }: RunOptions,
  writes: readonly WritePoint[],
): readonly PlannedRun[] {
  const { modes = tortureModes, seeds = 20, seed = "torture" } = options;
  const numbers = Array.from({ length: seeds }, (_, index) => index);
  const plans = [
    ...(modes.includes("crashes") ? crashPlans(writes) : []),
    ...(modes.includes("staleness") ? stalePlans(writes, definition) : []),
    ...(modes.includes("interleavings")
      ? numbers.map((index) => interleaving(seed, index, writes, definition))
      : []),
  ];
  const walks = modes.includes("states") ? Exploration.walks(scenario, seed, numbers) : [];
  return [...plans.map((plan) => ({ plan })), ...walks.map((walk) => ({ walk }))];
}

class Campaign {
  readonly findings: Finding[] = [];
  readonly #run: RunOptions;
  readonly #states: readonly ObjectStates[];
  readonly #options: TortureOptions;
  readonly #exploration: Exploration;
  runs = 0;

  constructor(run: RunOptions, states: readonly ObjectStates[], options: TortureOptions) {
    this.#run = run;
    this.#states = states;
    this.#options = options;
    this.#exploration = new Exploration(run);
  }

  async runAll(planned: readonly PlannedRun[]): Promise<void> {
    const { onRun, mostFindings = 10 } = this.#options;
    for (const [index, run] of planned.entries()) {
      if ("plan" in run) await this.#tryPlan(run.plan);
      else await this.#tryWalk(run.walk);
      onRun?.(index + 1, planned.length);
      if (this.findings.length >= mostFindings) return;
    }
  }

  async #tryPlan(plan: Plan): Promise<void> {
    const found = await this.#complaintOf(plan);
    if (!found || this.#isKnown(found)) return;
    const isSame = async (fewer: Plan): Promise<boolean> => isLike(found, await this.#complaintOf(fewer));
    const shortest = await shrink(plan, disturbanceTimes, isSame);
    const { writes } = await runScenario(this.#run, shortest, this.#states);
    const sequence = shortest.map((each) => {
      const at = "write" in each ? writes[each.write - 1] : undefined;
      return `${describeDisturbance(each)}${at ? ` (${at.method} ${at.path})` : ""}`;
    });
    this.findings.push({ ...found, sequence, replay: disturbanceText(shortest) });
  }

  async #tryWalk(walk: readonly Action[]): Promise<void> {
    this.runs += 1;
    const { complaint: found } = await this.#exploration.run(walk);
    if (!found || this.#isKnown(found)) return;
    const shortest = await shrink(walk, walkTimes, async (fewer) => {
      this.runs += 1;
      return isLike(found, (await this.#exploration.run(fewer)).complaint);
    });
    const { log } = await this.#exploration.run(shortest);
    this.findings.push({ ...found, sequence: log, replay: walkText(shortest) });
  }

  /** What was found already is reported once. */
  #isKnown(complaint: Complaint): boolean {
    return this.findings.some((finding) => isLike(complaint, finding));
  }

  async #complaintOf(plan: Plan): Promise<Complaint | undefined> {
    this.runs += 1;
    const { complaints } = await runScenario(this.#run, plan, this.#states);
    return complaints[0];
  }
}

const isLike = (one: Complaint, other: Complaint | undefined): boolean =>
  one.oracle === other?.oracle && one.message === other.message;

const disturbanceTimes: Times<Disturbance> = {
  least: 1,
  read: (each) => ("milliseconds" in each ? each.milliseconds : undefined),
  write: (each, milliseconds) => ("milliseconds" in each ? { ...each, milliseconds } : each),
};

const walkTimes: Times<Action> = {
  least: 0,
  read: ({ wait }) => wait,
  write: (each, wait) => ({ ...each, wait }),
};

function runOptions(options: TortureOptions): RunOptions {
  const {
    scenario,
    outside,
    invariants = [],
    ignore = [],
    byHistory = [],
    periodicWrites = [],
    rest = "2m",
  } = options;
  const { manager, controllers = [], webhooks = [] } = options;
  const { seed, resources, permissions, namespace, nodes, rules, cluster, reload } = options;
  const definition = manager ?? defineManager({ name: "test", controllers, webhooks });
  const given = {
    manager: definition,
    seed,
    resources,
    permissions,
    namespace,
    nodes,
    rules,
    cluster,
    reload,
  };
  return {
    cluster: given,
    outside,
    definition,
    scenario,
    invariants,
    ignore,
    byHistory,
    periodicWrites,
    rest,
  };
}
