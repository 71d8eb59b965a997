// Keeps pods with a number: made, replaced and removed in order, each with its own claims.
import {
  ControllerRevision,
  deepEqual,
  isAlreadyExists,
  isNotFound,
  LabelMatcher,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from "@kubewright/api";
import { objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { ownerKeys } from "../../workload/owner-keys.js";
import { untilAvailable } from "../../workload/pod-state.js";
import { serverMessage } from "../../workload/server-message.js";
import {
  pastRevisions,
  type TemplateRevisions,
  templateRevisions,
} from "../../workload/template-revisions.js";
import type { ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import { nextSteps, type Step } from "./next-step.js";
import { identityRepair } from "./pod-identity.js";
import { StatefulClaims, setsWaitingFor } from "./stateful-claims.js";
import { isTerminating, isWanted, ordinalOf, podRevision, statefulPod } from "./stateful-pods.js";
import { statefulSetStatus } from "./stateful-set-status.js";

export const statefulSetController = syncController(
  "statefulset",
  (loop, environment) => new StatefulSets(loop, environment),
);

class StatefulSets implements Syncing {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #sets: StoreReader<StatefulSet>;
  readonly #pods: ChildrenIndex<Pod>;
  readonly #revisions: ChildrenIndex<ControllerRevision>;
  readonly #claims: StatefulClaims;

  constructor(loop: SyncLoop, environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("statefulset-controller");
    const sets = loop.watch(StatefulSet, ({ key }) => [key]);
    this.#sets = sets;
    this.#pods = new ChildrenIndex(loop.watch(Pod, (change) => ownerKeys(StatefulSet, sets, change)));
    this.#revisions = new ChildrenIndex(loop.cache(ControllerRevision));
    const claims = loop.watch(PersistentVolumeClaim, setsWaitingFor);
    this.#claims = new StatefulClaims(environment, this.#events, claims);
  }

  async sync(key: string): Promise<number | undefined> {
    const set = this.#sets.get(key);
    if (!set || set.metadata?.deletionTimestamp) return undefined;
    const { clock, client } = this.#environment;
    const pods = await this.#claim(set);
    const revisions = await templateRevisions(
      client,
      {
        kind: StatefulSet,
        object: set,
        template: set.spec?.template,
        currentRevision: set.status?.currentRevision,
      },
      this.#revisions.of(set),
    );
    const updateRevision = revisions.update.metadata?.name ?? "";
    await this.#claims.own(set, pods);
    for (const pod of pods) if (isWanted(set, pod) && isPending(pod)) await this.#claims.ensure(set, pod);
    for (const pod of pods) if (isWanted(set, pod)) await this.#repair(set, pod);
    for (const step of nextSteps({ set, pods, updateRevision, now: clock.now() }))
      await this.#take(set, step, revisions);
    const now = this.#pods.of(set);
    await this.#writeStatus(set, now, revisions);
    await this.#truncateHistory(set, now, revisions);
    const waits = now.map((pod) => untilAvailable(pod, set.spec?.minReadySeconds ?? 0, clock.now()) ?? 0);
    const next = waits.filter((wait) => wait > 0);
    return next.length > 0 ? Math.min(...next) : undefined;
  }

  #claim(set: StatefulSet): Promise<Pod[]> {
    return claimChildren({
      client: this.#environment.client,
      ownerKind: StatefulSet,
      owner: set,
      selector: LabelMatcher.from(set.spec?.selector),
      childKind: Pod,
      candidates: this.#pods.candidates(set),
      mayAdopt: (pod) => ordinalOf(set, pod) !== undefined,
    });
  }

  async #take(set: StatefulSet, step: Step, { current, update }: TemplateRevisions): Promise<void> {
    if (step.does === "delete") await this.#delete(set, step.pod);
    else await this.#create(set, statefulPod(set, step.isCurrent ? current : update, step.ordinal));
  }

  async #create(set: StatefulSet, pod: Pod): Promise<void> {
    const { client } = this.#environment;
    const what = `Pod ${pod.metadata?.name} in StatefulSet ${set.metadata?.name}`;
    try {
      if (!(await this.#claims.ensure(set, pod))) return;
      await client.create(Pod, pod);
      this.#events.normal(StatefulSet, set, "SuccessfulCreate", `create ${what} successful`);
    } catch (error) {
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) return;
      const message = serverMessage(error);
      this.#events.warning(StatefulSet, set, "FailedCreate", `create ${what} failed error: ${message}`);
      throw error;
    }
  }

  /** Restores the identity labels of pods that were adopted, or whose labels were removed. */
  async #repair(set: StatefulSet, pod: Pod): Promise<void> {
    const labels = isTerminating(pod) ? undefined : identityRepair(set, pod);
    if (!labels) return;
    const { name = "", namespace, uid } = pod.metadata ?? {};
    await this.#environment.client.patch(Pod, name, { merge: { metadata: { uid, labels } } }, { namespace });
    const what = `Pod ${name} in StatefulSet ${set.metadata?.name}`;
    this.#events.normal(StatefulSet, set, "SuccessfulUpdate", `update ${what} successful`);
  }

  async #delete(set: StatefulSet, { metadata }: Pod): Promise<void> {
    const { name = "", namespace, uid } = metadata ?? {};
    try {
      await this.#environment.client.delete(Pod, name, { namespace, preconditions: { uid } });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    const what = `Pod ${name} in StatefulSet ${set.metadata?.name}`;
    this.#events.normal(StatefulSet, set, "SuccessfulDelete", `delete ${what} successful`);
  }

  async #writeStatus(set: StatefulSet, pods: readonly Pod[], revisions: TemplateRevisions): Promise<void> {
    const current = this.#sets.get(objectKey(set)) ?? set;
    const status = statefulSetStatus(set, pods, revisions, this.#environment.clock.now());
    if (deepEqual(status, current.status)) return;
    await this.#environment.client.update(StatefulSet, { ...current, status }, { subresource: "status" });
  }

  /** Drops the oldest templates that no pod has any more. */
  async #truncateHistory(
    set: StatefulSet,
    pods: readonly Pod[],
    { current, update }: TemplateRevisions,
  ): Promise<void> {
    const live = new Set([current.metadata?.name, update.metadata?.name, ...pods.map(podRevision)]);
    const surplus = pastRevisions(this.#revisions.of(set), live, set.spec?.revisionHistoryLimit ?? 10);
    for (const { metadata } of surplus)
      await this.#environment.client.delete(ControllerRevision, metadata?.name ?? "", {
        namespace: metadata?.namespace,
      });
  }
}

const isPending = ({ metadata, status }: Pod): boolean =>
  status?.phase === "Pending" && !metadata?.deletionTimestamp;
