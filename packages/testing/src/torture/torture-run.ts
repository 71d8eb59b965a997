// One run of a scenario, with or without disturbances, and what the oracles have to say of it.
import { ConfigMap, isObject, type KubeObject, Secret } from "@kubewright/api";
import type { StorageContents } from "@kubewright/apiserver";
import { clientNames, customKindsOf, healthOf, type ManagerDefinition } from "@kubewright/runtime";
import { type TestCluster, testCluster } from "../test-cluster.js";
import type { TestClusterOptions } from "../test-cluster-options.js";
import type { Duration } from "../test-time.js";
import { differences } from "./compare-states.js";
import type { Disturbance } from "./disturbance.js";
import { Disturber, type WritePoint } from "./disturber.js";
import { type ObjectStates, type StateOptions, statesOf } from "./object-state.js";
import { type Scenario, scenarioManager } from "./scenario.js";

/** Something that always holds when everything is at rest. */
export interface Invariant {
  readonly name: string;
  /** What is wrong; undefined when nothing is. */
  check(cluster: TestCluster): Promise<string | undefined>;
}

/** A property that every torture run must have. */
export type Oracle =
  /** It ends in the state of the undisturbed run: nothing missing, left over, doubled or different. */
  | "same-state"
  /** What the operator made is gone with what it was made for, and finalizers with it. */
  | "clean-up"
  /** Nothing is deleted that was there before. */
  | "bystanders"
  /** Nothing reports that it is ready while what it owns is not. */
  | "true-status"
  /** It comes to rest. */
  | "settles"
  /** No error of the program, and none that nobody caught. */
  | "no-program-error"
  /** The steps themselves succeed. */
  | "scenario"
  /** What the author states. */
  | "invariant";

/** Something an oracle found. */
export interface Complaint {
  readonly oracle: Oracle;
  readonly message: string;
  /** The step after which it was found. */
  readonly step: string;
}

export interface RunOptions {
  readonly cluster: Omit<TestClusterOptions, "connect" | "clock" | "middleware">;
  readonly definition: ManagerDefinition;
  readonly scenario: Scenario;
  readonly invariants: readonly Invariant[];
  readonly ignore: readonly string[];
  /** How long everything is given to come to rest after each step. */
  readonly rest: Duration;
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
  const disturber = new Disturber(disturbances);
  const uncaught: unknown[] = [];
  const catchAll = (error: unknown): void => void uncaught.push(error);
  process.on("unhandledRejection", catchAll);
  const { reload, manager } = options.cluster;
  const cluster = await testCluster({
    ...options.cluster,
    manager: reload ? await reload() : manager,
    clock: "virtual",
    leaks: "ignore",
    middleware: [disturber.middleware],
  });
  try {
    const run = new TortureRun(options, cluster, disturber, expected);
    return await run.complete(uncaught);
  } finally {
    disturber.end();
    await cluster.abandon();
    process.removeListener("unhandledRejection", catchAll);
  }
}

class TortureRun {
  readonly #options: RunOptions;
  readonly #cluster: TestCluster;
  readonly #disturber: Disturber;
  readonly #expected: readonly ObjectStates[] | undefined;
  readonly #stateOptions: StateOptions;
  readonly #states: ObjectStates[] = [];
  readonly #complaints: Complaint[] = [];

  constructor(
    options: RunOptions,
    cluster: TestCluster,
    disturber: Disturber,
    expected: readonly ObjectStates[] | undefined,
  ) {
    this.#options = options;
    this.#cluster = cluster;
    this.#disturber = disturber;
    this.#expected = expected;
    const kinds = new Set(customKindsOf(options.definition).map(({ kind, group }) => `${kind}.${group}`));
    this.#stateOptions = {
      manager: clientNames(options.definition).fieldManager,
      written: disturber.written,
      kinds,
      ignore: options.ignore,
    };
  }

  async complete(uncaught: readonly unknown[]): Promise<RunResult> {
    const { scenario } = this.#options;
    const before = await this.#begin();
    for (const [index, step] of scenario.steps.entries()) {
      const complain = (oracle: Oracle, message: string): number =>
        this.#complaints.push({ oracle, message, step: step.name });
      try {
        await step.run(this.#cluster);
      } catch (error) {
        complain("scenario", error instanceof Error ? error.message : String(error));
      }
      await this.#cluster.advance(this.#options.rest);
      const { runaway } = this.#disturber;
      if (runaway !== undefined) complain("settles", `${runaway} is repeated without end`);
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

  /** Objects of somebody else, in the middle of the operator's. */
  async #begin(): Promise<StorageContents> {
    const { client, namespace, manager, faults, clock } = this.#cluster;
    const metadata = { name: "bystander", namespace };
    await client.create(ConfigMap, { metadata, data: {} }, { fieldManager: "somebody" });
    await client.create(Secret, { metadata, stringData: {} }, { fieldManager: "somebody" });
    await this.#cluster.settle();
    if (!manager) throw new TypeError("torture needs a manager or controllers");
    this.#disturber.begin({
      manager,
      faults,
      clock,
      admin: client,
      client: clientNames(this.#options.definition).userAgent,
    });
    return this.#cluster.cluster.contents();
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
    for (const line of failingObjects(contents, this.#stateOptions.kinds)) complain("settles", line);
    for (const line of falseStatuses(contents, this.#stateOptions.kinds)) complain("true-status", line);
    for (const { name, check } of this.#options.invariants) {
      const wrong = await this.#cluster.run(check(this.#cluster));
      if (wrong !== undefined) complain("invariant", `${name}: ${wrong}`);
    }
  }
}

const changing = new Set(["Lease", "Event", "Endpoints", "EndpointSlice", "Pod"]);

/** Objects that were there at the beginning, and are not any more. */
function deletedSince(before: StorageContents, now: StorageContents): readonly string[] {
  const uids = new Set([...now.rows].map(({ object }) => object.metadata.uid));
  return [...before.rows]
    .filter(({ object }) => !changing.has(object.kind) && !uids.has(object.metadata.uid))
    .map(({ object: { kind, metadata } }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
}

/** Custom objects whose reconciles still fail at rest, as the runtime reports it. */
function failingObjects({ rows }: StorageContents, kinds: ReadonlySet<string>): readonly string[] {
  return [...rows].flatMap(({ object }) => {
    const { kind, apiVersion, metadata } = object;
    if (!kinds.has(`${kind}.${apiVersion.split("/").slice(0, -1).join("/")}`)) return [];
    const failed = conditionsOf(object).find(
      (each) => each["type"] === "ReconcileFailed" && each["status"] === "True",
    );
    return failed
      ? [`${kind} ${metadata.namespace ?? ""}/${metadata.name} keeps failing: ${String(failed["message"])}`]
      : [];
  });
}

function conditionsOf(object: object): readonly Readonly<Record<string, unknown>>[] {
  const { status } = object as { readonly status?: unknown };
  return isObject(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isObject) : [];
}

/** Custom objects that report to be ready while something they control is not. */
function falseStatuses({ rows }: StorageContents, kinds: ReadonlySet<string>): readonly string[] {
  const objects = [...rows].map(({ object }) => object as unknown as KubeObject);
  const isCustom = ({ kind = "", apiVersion = "" }: KubeObject): boolean =>
    kinds.has(`${kind}.${apiVersion.split("/").slice(0, -1).join("/")}`);
  const ready = new Map(
    objects.filter((each) => isCustom(each) && saysReady(each)).map((each) => [each.metadata?.uid, each]),
  );
  return objects.flatMap((child) => {
    const owner = ready.get(child.metadata?.ownerReferences?.find(({ controller }) => controller)?.uid);
    const health = owner && !isCustom(child) ? healthOf(child) : undefined;
    if (!owner || !health || health.state === "ready") return [];
    const name = `${owner.kind} ${owner.metadata?.namespace}/${owner.metadata?.name}`;
    return [
      `${name} reports to be ready, but ${child.kind} ${child.metadata?.name} is not: ${health.message ?? health.state}`,
    ];
  });
}

/** Only what says so: an object without conditions claims nothing. */
function saysReady(object: KubeObject): boolean {
  return conditionsOf(object).some(
    (each) => (each["type"] === "Ready" || each["type"] === "Available") && each["status"] === "True",
  );
}

/** Mistakes in the program, not failures of requests. */
function programErrors({ errors }: TestCluster): readonly Error[] {
  return errors
    .map(({ error }) => error)
    .filter(
      (error): error is Error =>
        (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) &&
        error.cause === undefined,
    );
}
