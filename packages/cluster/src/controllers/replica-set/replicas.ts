// Keeps as many pods of a template as their owner asks for: what ReplicaSets and ReplicationControllers have in common.
import {
  deepEqual,
  isConflict,
  isNotFound,
  LabelMatcher,
  type LabelSelector,
  type ObjectMeta,
  Pod,
  type PodTemplateSpec,
  type ResourceDescriptor,
} from "@kubewright/api";
import { type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { createInBatches, isNamespaceTerminating, podFromTemplate } from "../../workload/create-pods.js";
import { inDeletionOrder } from "../../workload/deletion-order.js";
import { ownerKeys } from "../../workload/owner-keys.js";
import { isPodNews } from "../../workload/pod-news.js";
import { isActive, isFinished, untilAvailable } from "../../workload/pod-state.js";
import { serverMessage } from "../../workload/server-message.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import { type OwnedPods, type ReplicasStatus, replicasStatus } from "./replicas-status.js";

/** At most this many pods are created or deleted in one go. */
const burst = 500;

/** An object that asks for a number of pods. */
export interface ReplicasOwner {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?:
    | {
        readonly replicas?: number | undefined;
        readonly minReadySeconds?: number | undefined;
        readonly template?: PodTemplateSpec | undefined;
      }
    | undefined;
  readonly status?: ReplicasStatus | undefined;
}

/** The differences between the kinds of owners. */
export interface ReplicasKind<T extends ReplicasOwner> {
  readonly name: string;
  /** The component in events. */
  readonly component: string;
  readonly kind: ResourceDescriptor<T, T>;
  selector(owner: T): LabelSelector;
  /** Whether its status reports how many pods are terminating. */
  readonly countsTerminating: boolean;
}

interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly error: unknown;
}

/** The controller of one kind. */
export function replicasController<T extends ReplicasOwner>(of: ReplicasKind<T>): BuiltInController {
  return syncController(of.name, (loop, environment) => new Replicas(of, loop, environment));
}

class Replicas<T extends ReplicasOwner> implements Syncing {
  readonly #of: ReplicasKind<T>;
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #sets: StoreReader<T>;
  readonly #pods: ChildrenIndex<Pod>;

  constructor(of: ReplicasKind<T>, loop: SyncLoop, environment: ControllerEnvironment) {
    this.#of = of;
    this.#environment = environment;
    this.#events = environment.events(of.component);
    this.#sets = loop.watch(of.kind, ({ key }) => [key]);
    const keys = (change: ObjectChange<Pod>): Iterable<string> =>
      isPodNews(change) ? ownerKeys(of.kind, this.#sets, change, of.selector) : [];
    this.#pods = new ChildrenIndex(loop.watch(Pod, keys));
  }

  async sync(key: string): Promise<number | undefined> {
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
  async #podsOf(set: T): Promise<OwnedPods> {
    const claimed = await claimChildren({
      client: this.#environment.client,
      ownerKind: this.#of.kind,
      owner: set,
      selector: LabelMatcher.from(this.#of.selector(set)),
      childKind: Pod,
      candidates: this.#pods.candidates(set),
      mayAdopt: isActive,
    });
    return this.#sorted(claimed);
  }

  /** As they are after what was just done. */
  async #podsNow(set: T): Promise<OwnedPods> {
    const selector = LabelMatcher.from(this.#of.selector(set));
    return this.#sorted(this.#pods.of(set).filter((pod) => selector.matches(pod.metadata?.labels)));
  }

  async #manage(set: T, active: readonly Pod[]): Promise<Failure | undefined> {
    const wanted = set.spec?.replicas ?? 1;
    const missing = wanted - active.length;
    try {
      if (missing > 0) await this.#create(set, Math.min(missing, burst));
      if (missing < 0) await this.#delete(set, active, Math.min(-missing, burst));
      return undefined;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      const message = serverMessage(error);
      return { reason: missing > 0 ? "FailedCreate" : "FailedDelete", message, error };
    }
  }

  async #create(set: T, count: number): Promise<void> {
    const template = podFromTemplate(this.#of.kind, set, set.spec?.template);
    await createInBatches(count, async () => {
      try {
        const pod = await this.#environment.client.create(Pod, template);
        this.#events.normal(this.#of.kind, set, "SuccessfulCreate", `Created pod: ${pod.metadata?.name}`);
      } catch (error) {
        if (!isNamespaceTerminating(error))
          this.#events.warning(this.#of.kind, set, "FailedCreate", `Error creating: ${serverMessage(error)}`);
        throw error;
      }
    });
  }

  async #delete(set: T, active: readonly Pod[], count: number): Promise<void> {
    const doomed = inDeletionOrder(active, this.#related(set)).slice(0, count);
    await Promise.all(
      doomed.map(async ({ metadata }) => {
        const { name = "", namespace, uid } = metadata ?? {};
        try {
          await this.#environment.client.delete(Pod, name, { namespace, preconditions: { uid } });
          this.#events.normal(this.#of.kind, set, "SuccessfulDelete", `Deleted pod: ${name}`);
        } catch (error) {
          if (isNotFound(error)) return;
          this.#events.warning(this.#of.kind, set, "FailedDelete", `Error deleting: ${serverMessage(error)}`);
          throw error;
        }
      }),
    );
  }

  /** Pods of the sets that belong together: those of one Deployment count as one when spreading over nodes. */
  #related(set: T): readonly Pod[] {
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

  async #writeStatus(set: T, pods: OwnedPods, failure: Failure | undefined): Promise<void> {
    const why = failure && { reason: failure.reason, message: failure.message };
    const status = replicasStatus(set, pods, why, this.#environment.clock.now());
    try {
      await this.#put(this.#sets.get(objectKey(set)) ?? set, status);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // A client that scales the set writes to it too; the counts still hold.
      const { name = "", namespace } = set.metadata ?? {};
      await this.#put(await this.#environment.client.live.get(this.#of.kind, name, { namespace }), status);
    }
  }

  async #put(set: T, status: ReplicasStatus): Promise<void> {
    if (deepEqual(status, set.status)) return;
    await this.#environment.client.update(this.#of.kind, { ...set, status }, { subresource: "status" });
  }

  #sorted(pods: readonly Pod[]): OwnedPods {
    const isTerminating = (pod: Pod): boolean =>
      pod.metadata?.deletionTimestamp !== undefined && !isFinished(pod);
    return {
      active: pods.filter(isActive),
      terminating: this.#of.countsTerminating ? pods.filter(isTerminating).length : undefined,
    };
  }

  #nextAvailability(set: T, active: readonly Pod[]): number | undefined {
    const minReady = set.spec?.minReadySeconds ?? 0;
    const now = this.#environment.clock.now();
    const waits = active.map((pod) => untilAvailable(pod, minReady, now) ?? 0).filter((wait) => wait > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }
}
