// Keeps as many pods of a template as a ReplicaSet asks for.
import { deepEqual, isNotFound, LabelMatcher, Pod, ReplicaSet } from "@kubewright/api";
import { objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { createInBatches, isNamespaceTerminating, podFromTemplate } from "../../workload/create-pods.js";
import { ownerKeys } from "../../workload/owner-keys.js";
import { isActive, isFinished, untilAvailable } from "../../workload/pod-facts.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { inDeletionOrder } from "./deletion-order.js";
import { type ReplicaSetPods, replicaSetStatus } from "./replica-set-status.js";

/** At most this many pods are created or deleted in one go. */
const burst = 500;

export const replicaSetController: BuiltInController = {
  name: "replicaset",
  start: (environment) => new ReplicaSets(environment).start(),
};

interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly error: unknown;
}

class ReplicaSets {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #sets: StoreReader<ReplicaSet>;
  readonly #pods: ChildrenIndex<Pod>;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("replicaset-controller");
    this.#loop = new SyncLoop(environment, { name: "replicaset", sync: (key) => this.#sync(key) });
    this.#sets = this.#loop.watch(ReplicaSet, ({ key }) => [key]);
    const sets = this.#sets;
    this.#pods = new ChildrenIndex(this.#loop.watch(Pod, (change) => ownerKeys(ReplicaSet, sets, change)));
  }

  start(): Promise<SyncLoop> {
    return this.#loop.start();
  }

  async #sync(key: string): Promise<number | undefined> {
    const set = this.#sets.get(key);
    if (!set) return undefined;
    const pods = await this.#podsOf(set);
    const failure = set.metadata?.deletionTimestamp ? undefined : await this.#manage(set, pods.active);
    const now = await this.#podsNow(set);
    await this.#writeStatus(set, now, failure);
    if (failure) throw failure.error;
    return this.#nextAvailability(set, now.active);
  }

  /** Adopts and releases. */
  async #podsOf(set: ReplicaSet): Promise<ReplicaSetPods> {
    const claimed = await claimChildren({
      client: this.#environment.client,
      ownerKind: ReplicaSet,
      owner: set,
      selector: LabelMatcher.from(set.spec?.selector),
      childKind: Pod,
      candidates: this.#pods.candidates(set),
      mayAdopt: isActive,
    });
    return sorted(claimed);
  }

  /** As they are after what was just done. */
  async #podsNow(set: ReplicaSet): Promise<ReplicaSetPods> {
    const selector = LabelMatcher.from(set.spec?.selector);
    return sorted(this.#pods.of(set).filter((pod) => selector.matches(pod.metadata?.labels)));
  }

  async #manage(set: ReplicaSet, active: readonly Pod[]): Promise<Failure | undefined> {
    const wanted = set.spec?.replicas ?? 1;
    const missing = wanted - active.length;
    try {
      if (missing > 0) await this.#create(set, Math.min(missing, burst));
      if (missing < 0) await this.#delete(set, active, Math.min(-missing, burst));
      return undefined;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      const message = error instanceof Error ? error.message : String(error);
      return { reason: missing > 0 ? "FailedCreate" : "FailedDelete", message, error };
    }
  }

  async #create(set: ReplicaSet, count: number): Promise<void> {
    const template = podFromTemplate(ReplicaSet, set, set.spec?.template);
    await createInBatches(count, async () => {
      try {
        const pod = await this.#environment.client.create(Pod, template);
        this.#events.normal(ReplicaSet, set, "SuccessfulCreate", `Created pod: ${pod.metadata?.name}`);
      } catch (error) {
        if (!isNamespaceTerminating(error))
          this.#events.warning(ReplicaSet, set, "FailedCreate", `Error creating: ${messageOf(error)}`);
        throw error;
      }
    });
  }

  async #delete(set: ReplicaSet, active: readonly Pod[], count: number): Promise<void> {
    const doomed = inDeletionOrder(active, this.#related(set)).slice(0, count);
    await Promise.all(
      doomed.map(async ({ metadata }) => {
        const { name = "", namespace, uid } = metadata ?? {};
        try {
          await this.#environment.client.delete(Pod, name, { namespace, preconditions: { uid } });
          this.#events.normal(ReplicaSet, set, "SuccessfulDelete", `Deleted pod: ${name}`);
        } catch (error) {
          if (isNotFound(error)) return;
          this.#events.warning(ReplicaSet, set, "FailedDelete", `Error deleting: ${messageOf(error)}`);
          throw error;
        }
      }),
    );
  }

  /** Pods of the sets that belong together: those of one Deployment count as one when spreading over nodes. */
  #related(set: ReplicaSet): readonly Pod[] {
    const owner = set.metadata?.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (!owner) return this.#pods.of(set);
    return this.#sets
      .list({ namespace: set.metadata?.namespace })
      .filter(({ metadata }) =>
        metadata?.ownerReferences?.some(({ uid, controller }) => controller && uid === owner),
      )
      .flatMap((sibling) => this.#pods.of(sibling))
      .filter(isActive);
  }

  async #writeStatus(set: ReplicaSet, pods: ReplicaSetPods, failure: Failure | undefined): Promise<void> {
    const current = this.#sets.get(objectKey(set)) ?? set;
    const why = failure && { reason: failure.reason, message: failure.message };
    const status = replicaSetStatus(set, pods, why, this.#environment.clock.now());
    if (deepEqual(status, current.status)) return;
    await this.#environment.client.update(ReplicaSet, { ...current, status }, { subresource: "status" });
  }

  #nextAvailability(set: ReplicaSet, active: readonly Pod[]): number | undefined {
    const minReady = set.spec?.minReadySeconds ?? 0;
    const now = this.#environment.clock.now();
    const waits = active.map((pod) => untilAvailable(pod, minReady, now) ?? 0).filter((wait) => wait > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }
}

function sorted(pods: readonly Pod[]): ReplicaSetPods {
  return {
    active: pods.filter(isActive),
    terminating: pods.filter((pod) => pod.metadata?.deletionTimestamp && !isFinished(pod)).length,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
