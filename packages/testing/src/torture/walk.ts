// A walk through the states of an operator's objects: they are changed into other valid ones, deleted and made again, and what the operator
// makes is deleted and edited meanwhile.
import type { KubeObject } from "@kubewright/api";
import { type Fault, type RequestAttributes, type RuleHandle, seededRandom } from "@kubewright/cluster";
import { type CustomKind, clientNames, customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import type { TestCluster } from "../test-cluster.js";
import type { Action } from "./action.js";
import { editObject } from "./edit-object.js";
import { isElectionLease } from "./election-lease.js";
import { generateObject } from "./generate-object.js";
import { applyAll, deleteAll, replaceAll, restartPods, type Scenario } from "./scenario.js";

/** So many generated objects are offered to the server until it accepts one. */
const attempts = 8;

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

export class Walk {
  readonly #definition: ManagerDefinition;
  readonly #kinds: readonly CustomKind[];
  readonly #actions: readonly Action[];
  readonly #first: readonly KubeObject[];
  /** By their number; undefined while deleted. */
  readonly #objects: (KubeObject | undefined)[];
  /** What each action did, in words. */
  readonly log: string[] = [];
  #failing: RuleHandle | undefined;
  /** Those that are still to come. */
  readonly #crashes: Fault[] = [];

  /** `objects` are there at the beginning. */
  constructor(definition: ManagerDefinition, objects: readonly KubeObject[], actions: readonly Action[]) {
    this.#definition = definition;
    this.#kinds = customKindsOf(definition);
    this.#actions = actions;
    this.#first = objects;
    this.#objects = [...objects];
  }

  /** The objects that are there at the end, before everything is deleted. */
  get objects(): readonly KubeObject[] {
    return this.#objects.filter((object) => object !== undefined);
  }

  scenario(): Scenario {
    return {
      steps: [
        { name: "apply", run: (cluster) => applyAll(cluster, this.#first) },
        { name: "walk", run: (cluster) => this.#perform(cluster) },
        // What was applied to an object that was about to vanish is gone with it.
        { name: "apply again", run: (cluster) => this.#applyAgain(cluster) },
        { name: "delete", cleansUp: true, run: (cluster) => deleteAll(cluster, this.#custom().toReversed()) },
      ],
    };
  }

  async #applyAgain(cluster: TestCluster): Promise<void> {
    await applyAll(cluster, this.objects);
    await replaceAll(
      cluster,
      this.objects.filter((object) => this.#kindOf(object) !== undefined),
    );
  }

  #custom(): readonly KubeObject[] {
    return this.#first.filter((object) => this.#kindOf(object) !== undefined);
  }

  #kindOf({ apiVersion, kind }: KubeObject): CustomKind | undefined {
    return this.#kinds.find((each) => each.kind === kind && apiVersion === `${each.group}/${each.version}`);
  }

  async #perform(cluster: TestCluster): Promise<void> {
    for (const action of this.#actions) {
      this.log.push(await this.#do(action, cluster));
      if (action.wait > 0) await cluster.advance(action.wait);
    }
    for (const crash of this.#crashes) crash.remove();
    await this.#heal(cluster);
  }

  /** Returns what was done, in words. */
  async #do(action: Action, cluster: TestCluster): Promise<string> {
    switch (action.kind) {
      case "change":
        return this.#change(cluster, action.object, action.seed);
      case "remove":
        return this.#remove(cluster, action.object);
      case "delete-child":
      case "edit-child":
        return this.#interfere(cluster, action.kind, action.choice);
      case "fail-pods":
        this.#failing ??= cluster.simulate({ namespace: "*" }, { neverReady: true });
        await restartPods(cluster);
        return "pods fail";
      case "heal-pods":
        await this.#heal(cluster);
        return "pods become ready again";
      case "crash":
        return this.#crash(cluster, action.choice);
    }
  }

  async #change(cluster: TestCluster, number: number, seed: number): Promise<string> {
    const index = number % this.#first.length;
    const base = this.#objects[index] ?? this.#first[index];
    if (!base) return "nothing to change";
    const kind = this.#kindOf(base);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const random = seededRandom(`${seed}`, `object ${attempt}`);
      const changed = kind ? generateObject(kind, base, random) : base;
      const isAccepted = await applyAll(cluster, [changed]).then(
        () => true,
        () => false,
      );
      if (!isAccepted) continue;
      this.#objects[index] = changed;
      const { apiVersion: _, kind: __, metadata: ___, ...fields } = changed;
      return `${nameOf(changed)} becomes ${JSON.stringify(fields)}`;
    }
    return `${nameOf(base)} stays as it is: the server refuses the others`;
  }

  async #remove(cluster: TestCluster, number: number): Promise<string> {
    const index = number % this.#first.length;
    const object = this.#objects[index];
    if (!object) return "nothing to delete";
    await deleteAll(cluster, [object]);
    this.#objects[index] = undefined;
    return `${nameOf(object)} is deleted`;
  }

  async #interfere(
    cluster: TestCluster,
    kind: "delete-child" | "edit-child",
    choice: number,
  ): Promise<string> {
    const children = this.#children(cluster);
    const child = children[choice % children.length];
    if (!child) return "no child is there yet";
    if (kind === "delete-child") {
      await deleteAll(cluster, [child]);
      return `${nameOf(child)} is deleted by somebody`;
    }
    const { fieldManager } = clientNames(this.#definition);
    const field = await editObject(cluster.client, child, fieldManager, choice);
    return field === undefined
      ? `${nameOf(child)} has no field to edit`
      : `${field} of ${nameOf(child)} is edited by somebody`;
  }

  /** What objects of the custom kinds control. */
  #children(cluster: TestCluster): readonly KubeObject[] {
    const groups = new Set(this.#kinds.map(({ kind, group }) => `${kind}.${group}`));
    const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? "";
    return [...cluster.cluster.contents().rows]
      .map(({ object }) => object as unknown as KubeObject)
      .filter(({ metadata }) =>
        metadata?.ownerReferences?.some(
          ({ controller, kind, apiVersion }) => controller && groups.has(`${kind}.${groupOf(apiVersion)}`),
        ),
      )
      .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  }

  /** The last of the writes is committed, and its answer lost. */
  #crash(cluster: TestCluster, writes: number): string {
    const { faults, manager } = cluster;
    if (writes === 0) {
      manager?.crashAndRestart();
      return "the manager crashes and starts again";
    }
    const { userAgent } = clientNames(this.#definition);
    let left = writes;
    const fault = faults.fail((request) => {
      if (!request.client.startsWith(userAgent) || !this.#isWrite(request) || --left !== 0) return false;
      manager?.crashAndRestart();
      return true;
    }, "lost");
    this.#crashes.push(fault);
    return `the manager crashes after its next ${writes === 1 ? "write" : `${writes} writes`}, and starts again`;
  }

  #isWrite({ verb, resource, name = "" }: RequestAttributes): boolean {
    const isElection = resource === "leases" && isElectionLease(this.#definition, name);
    return writeVerbs.has(verb) && resource !== "events" && !isElection;
  }

  async #heal(cluster: TestCluster): Promise<void> {
    if (!this.#failing) return;
    this.#failing.remove();
    this.#failing = undefined;
    await restartPods(cluster);
  }
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata?.name}`;
