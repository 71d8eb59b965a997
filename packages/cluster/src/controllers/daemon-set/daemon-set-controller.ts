// Keeps one pod on every node that suits a DaemonSet.
import {
  ControllerRevision,
  DaemonSet,
  deepEqual,
  isNotFound,
  LabelMatcher,
  Node,
  Pod,
} from "@kubewright/api";
import { objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { createInBatches, isNamespaceTerminating } from "../../workload/create-pods.js";
import { ownerKeys } from "../../workload/owner-keys.js";
import { untilAvailable } from "../../workload/pod-state.js";
import { serverMessage } from "../../workload/server-message.js";
import {
  pastRevisions,
  revisionHash,
  revisionLabel,
  type TemplateRevisions,
  templateRevisions,
} from "../../workload/template-revisions.js";
import type { ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import { DaemonBackoff } from "./daemon-backoff.js";
import { daemonPlan } from "./daemon-plan.js";
import { daemonPod, nodeOf } from "./daemon-pods.js";
import { daemonStatus } from "./daemon-status.js";

export const daemonSetController = syncController(
  "daemonset",
  (loop, environment) => new DaemonSets(loop, environment),
);

class DaemonSets implements Syncing {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #sets: StoreReader<DaemonSet>;
  readonly #nodes: StoreReader<Node>;
  readonly #pods: ChildrenIndex<Pod>;
  readonly #revisions: ChildrenIndex<ControllerRevision>;
  readonly #backoff = new DaemonBackoff();

  constructor(loop: SyncLoop, environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("daemonset-controller");
    const sets = loop.watch(DaemonSet, ({ key }) => [key]);
    this.#sets = sets;
    this.#pods = new ChildrenIndex(loop.watch(Pod, (change) => ownerKeys(DaemonSet, sets, change)));
    this.#revisions = new ChildrenIndex(loop.cache(ControllerRevision));
    this.#nodes = loop.watch(Node, ({ previous, current }) =>
      isSamePlace(previous, current) ? [] : sets.keys(),
    );
  }

  async sync(key: string): Promise<number | undefined> {
    const set = this.#sets.get(key);
    if (!set) this.#backoff.forget(`${key} `);
    if (!set || set.metadata?.deletionTimestamp) return undefined;
    const { client, clock } = this.#environment;
    const pods = await this.#claim(set);
    const workload = { kind: DaemonSet, object: set, template: set.spec?.template };
    const revisions = await templateRevisions(client, workload, this.#revisions.of(set));
    const nodes = [...this.#nodes.values()];
    const state = { set, nodes, pods, hash: revisionHash(revisions.update), now: clock.now() };
    const plan = daemonPlan(state);
    const missing = [...plan.create];
    await createInBatches(missing.length, () => this.#create(set, missing.pop() ?? "", revisions));
    for (const pod of plan.delete) await this.#delete(set, pod);
    const pause = await this.#removeEnded(set, plan.ended);
    const now = this.#pods.of(set);
    await this.#writeStatus(set, daemonStatus({ ...state, pods: now }));
    await this.#truncateHistory(set, now, revisions);
    const waits = now.map((pod) => untilAvailable(pod, set.spec?.minReadySeconds ?? 0, clock.now()) ?? 0);
    const next = [pause, ...waits].filter((wait) => wait > 0);
    return next.length > 0 ? Math.min(...next) : undefined;
  }

  #claim(set: DaemonSet): Promise<Pod[]> {
    return claimChildren({
      client: this.#environment.client,
      ownerKind: DaemonSet,
      owner: set,
      selector: LabelMatcher.from(set.spec?.selector),
      childKind: Pod,
      candidates: this.#pods.candidates(set),
    });
  }

  /** Returns how many milliseconds until the next one may go; 0 when none waits. */
  async #removeEnded(set: DaemonSet, ended: readonly Pod[]): Promise<number> {
    const waits: number[] = [];
    for (const pod of ended) {
      const node = nodeOf(pod) ?? "";
      const hasFailed = pod.status?.phase === "Failed";
      const key = `${objectKey(set)} ${node}`;
      const wait = hasFailed ? this.#backoff.take(key, this.#environment.clock.now()) : 0;
      if (wait > 0) waits.push(wait);
      if (wait > 0) continue;
      const what = `daemon pod ${pod.metadata?.namespace}/${pod.metadata?.name} on node ${node}`;
      if (hasFailed)
        this.#events.warning(DaemonSet, set, "FailedDaemonPod", `Found failed ${what}, will try to kill it`);
      else
        this.#events.normal(
          DaemonSet,
          set,
          "SucceededDaemonPod",
          `Found succeeded ${what}, will try to delete it`,
        );
      await this.#delete(set, pod);
    }
    return waits.length > 0 ? Math.min(...waits) : 0;
  }

  async #create(set: DaemonSet, node: string, { update }: TemplateRevisions): Promise<void> {
    try {
      const pod = await this.#environment.client.create(Pod, daemonPod(set, node, update));
      this.#events.normal(DaemonSet, set, "SuccessfulCreate", `Created pod: ${pod.metadata?.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const message = serverMessage(error);
      this.#events.warning(DaemonSet, set, "FailedCreate", `Error creating: ${message}`);
      throw error;
    }
  }

  async #delete(set: DaemonSet, { metadata }: Pod): Promise<void> {
    const { name = "", namespace, uid } = metadata ?? {};
    try {
      await this.#environment.client.delete(Pod, name, { namespace, preconditions: { uid } });
      this.#events.normal(DaemonSet, set, "SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #writeStatus(set: DaemonSet, status: DaemonSet["status"]): Promise<void> {
    const current = this.#sets.get(objectKey(set)) ?? set;
    if (deepEqual(status, current.status)) return;
    await this.#environment.client.update(DaemonSet, { ...current, status }, { subresource: "status" });
  }

  async #truncateHistory(set: DaemonSet, pods: readonly Pod[], { update }: TemplateRevisions): Promise<void> {
    const known = this.#revisions.of(set);
    const hashes = new Set(pods.map(({ metadata }) => metadata?.labels?.[revisionLabel]));
    const inUse = known
      .filter((revision) => hashes.has(revisionHash(revision)))
      .map(({ metadata }) => metadata?.name);
    const names = new Set([update.metadata?.name, ...inUse]);
    for (const { metadata } of pastRevisions(known, names, set.spec?.revisionHistoryLimit ?? 10))
      await this.#environment.client.delete(ControllerRevision, metadata?.name ?? "", {
        namespace: metadata?.namespace,
      });
  }
}

/** Whether nothing changed that decides where daemons run. */
function isSamePlace(previous: Node | undefined, current: Node | undefined): boolean {
  return (
    previous !== undefined &&
    current !== undefined &&
    deepEqual(previous.metadata?.labels, current.metadata?.labels) &&
    deepEqual(previous.spec?.taints, current.spec?.taints)
  );
}
