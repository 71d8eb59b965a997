// One run of a scenario, with or without disturbances, and what the oracles have to say of it.
import { type Clock, ConfigMap, Secret } from "@kubewright/api";
import type { StorageContents } from "@kubewright/apiserver";
import { clientNames, customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import { type TestCluster, testCluster } from "../test-cluster.js";
import type { TestClusterOptions } from "../test-cluster-options.js";
import { type Duration, milliseconds } from "../test-time.js";
import { differences } from "./compare-states.js";
import type { Disturbance } from "./disturbance.js";
import { Disturber, type WritePoint } from "./disturber.js";
import { somebody } from "./edit-object.js";
import { type ObjectStates, type StateOptions, statesOf } from "./object-state.js";
import {
  deletedSince,
  failingObjects,
  falseStatuses,
  type Oracle,
  programErrors,
  restlessWrites,
} from "./oracles.js";
import { ReconcileCounter } from "./reconcile-counter.js";
import { type Scenario, scenarioManager } from "./scenario.js";

/** Something that always holds when everything is at rest. */
export interface Invariant {
  readonly name: string;
  /** What is wrong; undefined when nothing is. */
  check(cluster: TestCluster): Promise<string | undefined>;
}

/** Something an oracle found. */
export interface Complaint {
  readonly oracle: Oracle;
  readonly message: string;
  /** The step after which it was found. */
  readonly step: string;
}

export interface RunOptions {
  readonly cluster: Omit<TestClusterOptions, "connect" | "clock" | "middleware">;
  /** What is outside of the cluster: see TortureOptions. */
  readonly outside?: ((now: () => number, clock: () => Clock) => () => ManagerDefinition) | undefined;
  readonly definition: ManagerDefinition;
  readonly scenario: Scenario;
  readonly invariants: readonly Invariant[];
  readonly ignore: readonly string[];
  readonly byHistory: readonly string[];
  readonly periodicWrites: readonly string[];
  readonly oneShots: readonly string[];
  /** Default: all. */
  readonly oracles?: readonly Oracle[] | undefined;
  /** How long everything is given to come to rest after each step. */
  readonly rest: Duration;
  /** Objects are generated: the operator may report that it cannot do anything with them, and generations are a matter of history. */
  readonly isExploration?: boolean | undefined;
}

export interface RunResult {
  readonly writes: readonly WritePoint[];
  /** After each step. */
  readonly states: readonly ObjectStates[];
  readonly complaints: readonly Complaint[];
}

/** `expected` are the states of the undisturbed run; without it this is that run. */
export async function runScenario(
  options: RunOptions,
  disturbances: readonly Disturbance[],
  expected?: readonly ObjectStates[],
): Promise<RunResult> {
  const disturber = new Disturber(disturbances, options.oneShots);
  const uncaught: unknown[] = [];
  const catchAll = (error: unknown): void => void uncaught.push(error);
  process.on("unhandledRejection", catchAll);
  process.on("uncaughtException", catchAll);
  let started: TestCluster | undefined;
  const counter = new ReconcileCounter(
    () => started?.now() ?? 0,
    () => started?.manager?.crash(),
  );
  const clock = (): Clock => {
    if (!started) throw new Error("the cluster has not started yet");
    return started.clock;
  };
  const reload = options.outside?.(() => started?.now() ?? 0, clock) ?? options.cluster.reload;
  const cluster = await testCluster({
    ...options.cluster,
    reload,
    manager: reload ? await reload() : options.cluster.manager,
    clock: "virtual",
    leaks: "ignore",
    middleware: [disturber.middleware],
    managerClock: (clock) => disturber.clockOf(clock),
    observer: counter,
  });
  started = cluster;
  try {
    const run = new TortureRun(options, cluster, { disturber, counter }, expected);
    return await run.complete(uncaught);
  } finally {
    disturber.end();
    await cluster.abandon();
    process.removeListener("unhandledRejection", catchAll);
    process.removeListener("uncaughtException", catchAll);
  }
}

class TortureRun {
  readonly #options: RunOptions;
  readonly #cluster: TestCluster;
  readonly #disturber: Disturber;
  readonly #counter: ReconcileCounter;
  readonly #expected: readonly ObjectStates[] | undefined;
  readonly #stateOptions: StateOptions;
  readonly #states: ObjectStates[] = [];
  readonly #complaints: Complaint[] = [];

  constructor(
    options: RunOptions,
    cluster: TestCluster,
    { disturber, counter }: { readonly disturber: Disturber; readonly counter: ReconcileCounter },
    expected: readonly ObjectStates[] | undefined,
  ) {
    this.#options = options;
    this.#cluster = cluster;
    this.#disturber = disturber;
    this.#counter = counter;
    this.#expected = expected;
    const kinds = new Set(customKindsOf(options.definition).map(({ kind, group }) => `${kind}.${group}`));
    this.#stateOptions = {
      definition: options.definition,
      written: disturber.written,
      kinds,
      onlyApplied: options.isExploration,
      ignore: options.isExploration ? [...options.ignore, ...options.byHistory] : options.ignore,
    };
  }

  async complete(uncaught: readonly unknown[]): Promise<RunResult> {
    const { scenario } = this.#options;
    const before = await this.#begin();
    for (const [index, step] of scenario.steps.entries()) {
      const complain = (oracle: Oracle, message: string): void => {
        if (this.#asks(oracle)) this.#complaints.push({ oracle, message, step: step.name });
      };
      this.#disturber.step = index;
      try {
        await step.run(this.#cluster);
      } catch (error) {
        complain("scenario", error instanceof Error ? error.message : String(error));
      }
      await this.#rest(complain);
      await this.#examine(index, before, complain, step.cleansUp ?? false);
      for (const error of [...uncaught, ...programErrors(this.#cluster)])
        complain(
          "no-program-error",
          error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        );
      // Whatever comes after the first complaint follows from it.
      if (this.#complaints.length > 0) break;
    }
    return { writes: this.#disturber.writes, states: this.#states, complaints: this.#complaints };
  }

  #asks(oracle: Oracle): boolean {
    return this.#options.oracles?.includes(oracle) ?? true;
  }

  async #rest(complain: (oracle: Oracle, message: string) => void): Promise<void> {
    await this.#cluster.advance(this.#options.rest);
    const { runaway, writes } = this.#disturber;
    if (runaway !== undefined) complain("settles", `${runaway} is repeated without end`);
    const since = this.#cluster.now() - milliseconds(this.#options.rest) / 2;
    for (const line of restlessWrites(writes, since, this.#options.periodicWrites)) complain("settles", line);
    for (const line of this.#counter.restless(since)) complain("settles", line);
  }

  /** Makes objects of somebody else, in the middle of the operator's. */
  async #begin(): Promise<StorageContents> {
    const { client, namespace, manager, faults, clock } = this.#cluster;
    const metadata = { name: "bystander", namespace };
    if (this.#asks("bystanders")) {
      await client.create(ConfigMap, { metadata, data: {} }, { fieldManager: somebody });
      await client.create(Secret, { metadata, stringData: {} }, { fieldManager: somebody });
    }
    await this.#cluster.settle();
    if (!manager) throw new TypeError("torture needs a manager or controllers");
    const { definition } = this.#options;
    const { userAgent: agent, fieldManager } = clientNames(definition);
    const { cluster } = this.#cluster;
    const disturbed = { manager, definition, faults, clock, admin: client, client: agent, fieldManager };
    this.#disturber.begin({ ...disturbed, revision: () => cluster.contents().revision });
    return cluster.contents();
  }

  async #examine(
    index: number,
    before: StorageContents,
    complain: (oracle: Oracle, message: string) => void,
    cleansUp: boolean,
  ): Promise<void> {
    const contents = this.#cluster.cluster.contents();
    const states = statesOf(contents, this.#stateOptions);
    this.#states.push(states);
    for (const id of deletedSince(before, contents)) complain("bystanders", `${id} was deleted`);
    const expected = this.#expected?.[index];
    if (expected) for (const line of differences(expected, states)) complain("same-state", line);
    else if (cleansUp) {
      // What people made, such as a Deployment that is only scaled, is theirs to delete.
      const own = { ...this.#stateOptions, except: scenarioManager };
      for (const line of differences(statesOf(before, own), statesOf(contents, own)))
        complain("clean-up", line);
    }
    if (!this.#options.isExploration)
      for (const line of failingObjects(contents, this.#stateOptions.kinds)) complain("settles", line);
    for (const line of falseStatuses(contents, this.#stateOptions.kinds)) complain("true-status", line);
    for (const { name, check } of this.#options.invariants) {
      const wrong = await this.#cluster.run(check(this.#cluster));
      if (wrong !== undefined) complain("invariant", `${name}: ${wrong}`);
    }
  }
}
