// Torture: runs a scenario again and again with everything that goes wrong in the field, one thing at a time, and compares each end with that
// of the undisturbed run. Everything is in virtual time and deterministic, so whatever is found can be repeated exactly.
import { seededRandom } from "@kubewright/cluster";
import { defineManager, type ManagerDefinition } from "@kubewright/runtime";
import type { TestClusterOptions } from "../test-cluster-options.js";
import type { Duration } from "../test-time.js";
import { type Disturbance, disturbanceText, writeDisturbances } from "./disturbance.js";
import type { WritePoint } from "./disturber.js";
import type { ObjectStates } from "./object-state.js";
import type { Scenario } from "./scenario.js";
import { shrink } from "./shrink.js";
import { type Complaint, type Invariant, type RunOptions, runScenario } from "./torture-run.js";

/**
 * - `crashes`: a crash, a failed write, a lost answer, a conflict, and a deletion by somebody else, at every write.
 * - `staleness`: at every write, changes of each watched kind are not seen for a while, alone and with a lost answer or a crash.
 * - `interleavings`: random delays of writes and of what is seen, from seeds.
 */
export type TortureMode = "crashes" | "staleness" | "interleavings";

/** Options of `torture`. */
export interface TortureOptions
  extends Omit<TestClusterOptions, "connect" | "clock" | "leaks" | "middleware"> {
  readonly scenario: Scenario;
  /** Further things that always hold at rest. */
  readonly invariants?: readonly Invariant[] | undefined;
  /** Fields that may differ from run to run, such as `status.lastRun`. */
  readonly ignore?: readonly string[] | undefined;
  /** How long everything is given to come to rest after each step, in virtual time. Default: two minutes. */
  readonly rest?: Duration | undefined;
  /** Default: all. */
  readonly modes?: readonly TortureMode[] | undefined;
  /** The number of random interleavings. Default: 20. */
  readonly seeds?: number | undefined;
  /** Ends after so many findings. Default: 10. */
  readonly mostFindings?: number | undefined;
  /** Only this run, instead of all of them. */
  readonly replay?: readonly Disturbance[] | undefined;
  /** Called after each run. */
  readonly onRun?: ((done: number, all: number) => void) | undefined;
}

/** A run that did not end as it should, in its shortest form. */
export interface Finding extends Complaint {
  /** Empty when nothing was disturbed. */
  readonly disturbances: readonly Disturbance[];
  /** The writes that the disturbances are about. */
  readonly at: readonly WritePoint[];
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
  const run = runOptions(options);
  const { writes, states, complaints } = await runScenario(run, []);
  const [first] = complaints;
  if (first) return { writes, runs: 1, findings: [{ ...first, disturbances: [], at: [] }] };
  const plans = options.replay ? [options.replay] : plansFor(options, run.definition, writes);
  const campaign = new Campaign(run, states, options);
  await campaign.runAll(plans);
  return { writes, runs: campaign.runs + 1, findings: campaign.findings };
}

class Campaign {
  readonly findings: Finding[] = [];
  readonly #run: RunOptions;
  readonly #states: readonly ObjectStates[];
  readonly #options: TortureOptions;
  runs = 0;

  constructor(run: RunOptions, states: readonly ObjectStates[], options: TortureOptions) {
    this.#run = run;
    this.#states = states;
    this.#options = options;
  }

  async runAll(plans: readonly (readonly Disturbance[])[]): Promise<void> {
    const { onRun, mostFindings = 10 } = this.#options;
    for (const [index, plan] of plans.entries()) {
      const complaint = await this.#complaintOf(plan);
      if (complaint) await this.#note(plan, complaint);
      onRun?.(index + 1, plans.length);
      if (this.findings.length >= mostFindings) return;
    }
  }

  /** What was found already under fewer disturbances is not told twice. */
  async #note(plan: readonly Disturbance[], complaint: Complaint): Promise<void> {
    const isSame = (other: Complaint): boolean =>
      other.oracle === complaint.oracle && other.message === complaint.message;
    if (this.findings.some(isSame)) return;
    const shortest = await shrink(plan, async (fewer) => {
      const found = await this.#complaintOf(fewer);
      return found !== undefined && isSame(found);
    });
    const { writes } = await runScenario(this.#run, shortest, this.#states);
    const at = shortest.flatMap((each) => ("write" in each ? (writes[each.write - 1] ?? []) : []));
    this.findings.push({ ...complaint, disturbances: shortest, at });
  }

  async #complaintOf(plan: readonly Disturbance[]): Promise<Complaint | undefined> {
    this.runs += 1;
    const { complaints } = await runScenario(this.#run, plan, this.#states);
    return complaints[0];
  }
}

/** All runs, the simple ones first. */
function plansFor(
  { modes = ["crashes", "staleness", "interleavings"], seeds = 20, seed = "torture" }: TortureOptions,
  definition: ManagerDefinition,
  writes: readonly WritePoint[],
): readonly (readonly Disturbance[])[] {
  const numbers = writes.map((_, index) => index + 1);
  const watched = watchedBy(definition);
  const plans: (readonly Disturbance[])[] = [];
  if (modes.includes("crashes"))
    plans.push(...writeDisturbances.flatMap((kind) => numbers.map((write) => [{ kind, write }])));
  if (modes.includes("staleness")) plans.push(...staleRuns(writes, watched));
  if (modes.includes("interleavings"))
    for (let index = 0; index < seeds; index++)
      plans.push(interleaving(seededRandom(`${seed}`, `interleaving ${index}`), numbers, watched));
  return plans;
}

const staleTime = 30_000;

/** What was just written is not seen after a lost answer or a crash; then no kind is, one at a time. */
function staleRuns(
  writes: readonly WritePoint[],
  watched: readonly string[],
): readonly (readonly Disturbance[])[] {
  const freezes = (write: number, resources: readonly string[]): readonly Disturbance[] =>
    resources.map((resource) => ({ kind: "freeze", write, resource, milliseconds: staleTime }));
  const written = writes.flatMap(({ path }, index) =>
    freezes(
      index + 1,
      watched.filter((resource) => path.split("/").includes(resource)),
    ),
  );
  const after = (kind: "lose-answer" | "crash-after") =>
    written.map((freeze) => ("write" in freeze ? [{ kind, write: freeze.write }, freeze] : [freeze]));
  const alone = writes.flatMap((_, index) => freezes(index + 1, watched).map((freeze) => [freeze]));
  return [...after("lose-answer"), ...after("crash-after"), ...alone];
}

/** A few writes come late, and changes are seen late. */
function interleaving(
  random: () => number,
  writes: readonly number[],
  watched: readonly string[],
): readonly Disturbance[] {
  const late = (most: number): number => 1 + Math.floor(random() * most);
  return [
    ...watched
      .filter(() => random() < 0.5)
      .map((resource): Disturbance => ({ kind: "delay-watch", resource, milliseconds: late(5_000) })),
    ...writes
      .filter(() => random() < 0.3)
      .map((write): Disturbance => ({ kind: "delay-write", write, milliseconds: late(2_000) })),
  ];
}

/** The resources its caches follow. */
function watchedBy({ controllers }: ManagerDefinition): readonly string[] {
  const kinds = controllers.flatMap(({ resource, owns, watches }) => [
    resource,
    ...[...owns, ...watches].map((entry) => entry.resource),
  ]);
  return [...new Set(kinds.map(({ plural }) => plural))];
}

function runOptions(options: TortureOptions): RunOptions {
  const { scenario, invariants = [], ignore = [], rest = "2m" } = options;
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
  return { cluster: given, definition, scenario, invariants, ignore, rest };
}

/** The report for people. */
export function tortureText(
  { writes, runs, findings }: TortureReport,
  command = "kubewright torture",
): string {
  const head = `${writes.length} writes, ${runs} runs, ${findings.length === 0 ? "nothing found" : `${findings.length} found`}`;
  return [
    head,
    ...findings.flatMap((finding, index) => ["", ...findingLines(finding, index + 1, command)]),
  ].join("\n");
}

function findingLines(finding: Finding, number: number, command: string): readonly string[] {
  const { oracle, message, step, disturbances, at } = finding;
  return [
    `${number}. ${message}`,
    `   oracle: ${oracle}, after: ${step}`,
    ...(disturbances.length === 0
      ? ["   nothing was disturbed"]
      : [
          `   disturbed: ${disturbances.map(describe).join(", ")}`,
          ...at.map(({ method, path }) => `     ${method} ${path}`),
          `   replay: ${command} --replay "${disturbanceText(disturbances)}"`,
        ]),
  ];
}

const words: Readonly<Record<(typeof writeDisturbances)[number], string>> = {
  "crash-before": "the manager crashed before write",
  "crash-after": "the manager crashed after write",
  fail: "the server failed write",
  "lose-answer": "the answer was lost of write",
  conflict: "the server refused with a conflict write",
  "delete-written": "somebody deleted what was written by write",
};

function describe(disturbance: Disturbance): string {
  switch (disturbance.kind) {
    case "freeze":
      return `no change of ${disturbance.resource} was seen for ${disturbance.milliseconds / 1000} s from write ${disturbance.write} on`;
    case "delay-watch":
      return `changes of ${disturbance.resource} were seen ${disturbance.milliseconds} ms late`;
    case "delay-write":
      return `write ${disturbance.write} came ${disturbance.milliseconds} ms late`;
    default:
      return `${words[disturbance.kind]} ${disturbance.write}`;
  }
}
