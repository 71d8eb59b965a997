// The options of a campaign, and its report.
import type { Clock } from "@kubewright/api";
import { defineManager, type ManagerDefinition } from "@kubewright/runtime";
import type { TestClusterOptions } from "../test-cluster-options.js";
import type { Duration } from "../test-time.js";
import type { WritePoint } from "./disturber.js";
import type { Oracle } from "./oracles.js";
import type { Scenario } from "./scenario.js";
import type { Complaint, Invariant, RunOptions } from "./torture-run.js";

/**
 * - `crashes`: at every write a crash before and after it, a failure, a lost answer, a conflict, and a deletion and an edit by somebody else.
 * - `staleness`: at every write, changes of each watched kind are not seen for a while, alone and with a lost answer or a crash; each kind is
 *   always seen late; after a crash an older state is seen.
 * - `interleavings`: random delays of writes, of timers and of what is seen, from seeds.
 * - `states`: random walks through generated objects, from seeds, while children are deleted and edited.
 */
export type TortureMode = "crashes" | "staleness" | "interleavings" | "states";

/** All of them. */
export const tortureModes: readonly TortureMode[] = ["crashes", "staleness", "interleavings", "states"];

/** The cluster of each run, and the operator on it. */
export type TorturedCluster = Omit<
  TestClusterOptions,
  "connect" | "clock" | "leaks" | "middleware" | "managerClock" | "observer"
>;

/** Options of `torture`. */
export interface TortureOptions extends TorturedCluster {
  readonly scenario: Scenario;
  /**
   * What the operator reaches outside of the cluster, made anew for each run; returns what loads the manager around it, at the beginning and
   * after every crash. Takes the place of `reload`.
   */
  readonly outside?: ((now: () => number, clock: () => Clock) => () => ManagerDefinition) | undefined;
  /** Further things that always hold at rest. */
  readonly invariants?: readonly Invariant[] | undefined;
  /**
   * Fields that may differ from run to run: `status.lastRun`, those of one kind as in `Secret.data`, those of a name at any depth as in
   * `*.lastRun`.
   */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Fields, or whole kinds, that depend on the past: they are not compared after a walk.
   */
  readonly byHistory?: readonly string[] | undefined;
  /** Parts of the paths of writes that go on for ever on purpose, such as a measurement in a status: `/etcdclusters/`. */
  readonly periodicWrites?: readonly string[] | undefined;
  /**
   * Kinds of children that do one piece of work, as Jobs always do. Somebody who deletes such a child calls its work off, which need not
   * begin again: torture deletes none right after it was written. Default: none but Jobs.
   */
  readonly oneShots?: readonly string[] | undefined;
  /** How long everything is given to come to rest after each step, in virtual time. Default: two minutes. */
  readonly rest?: Duration | undefined;
  /** Default: all. */
  readonly modes?: readonly TortureMode[] | undefined;
  /** The number of random interleavings, and of random walks. Default: 20. */
  readonly seeds?: number | undefined;
  /** Only every `count`-th run, beginning with that of number `index`, from 1: for several machines. Default: all runs. */
  readonly shard?: { readonly index: number; readonly count: number } | undefined;
  /** Ends after so many findings. Default: 10. */
  readonly mostFindings?: number | undefined;
  /** Only this run, as a finding names it, instead of all of them. */
  readonly replay?: string | undefined;
  /** Called after each run. */
  readonly onRun?: ((done: number, all: number) => void) | undefined;
}

/** What a project says of how it is to be tortured: the default export of `src/torture.ts`. */
export type TortureSettings = Partial<Omit<TortureOptions, "replay" | "shard" | "onRun" | "resources">>;

/** A run that did not end as it should, in its shortest form. */
export interface Finding extends Complaint {
  /** What was done, in words; empty when nothing was disturbed. */
  readonly sequence: readonly string[];
  /** The text that repeats it; empty when nothing was disturbed. */
  readonly replay: string;
}

/** The result of `torture`. */
export interface TortureReport {
  /** The names of the scenario's steps. */
  readonly steps: readonly string[];
  /** The writes of the undisturbed run. */
  readonly writes: readonly WritePoint[];
  readonly runs: number;
  readonly findings: readonly Finding[];
}

/** What every run of a campaign has in common; `oracles` are those that are asked, by default all. */
export function runOptions(options: TortureOptions, oracles?: readonly Oracle[]): RunOptions {
  const {
    scenario,
    outside,
    invariants = [],
    ignore = [],
    byHistory = [],
    periodicWrites = [],
    oneShots = [],
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
    oneShots,
    rest,
    oracles,
  };
}
