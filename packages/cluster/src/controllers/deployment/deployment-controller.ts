// Rolls a Deployment: a ReplicaSet for every template it had, sized so that the newest takes over.
import { Deployment, findCondition, LabelMatcher, Pod, ReplicaSet } from "@kubewright/api";
import { objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { controllerKey, ownerKeys } from "../../workload/owner-keys.js";
import type { ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import { countedStatus, isComplete, withCondition } from "./deployment-status.js";
import { recreate } from "./recreate.js";
import { byRevision } from "./revisions.js";
import { rollingUpdate } from "./rolling-update.js";
import { Rollout } from "./rollout.js";
import { isRolling, replicasOf } from "./rollout-limits.js";
import { progressing, rolloutStatus, untilDeadline } from "./rollout-progress.js";
import { isScaled, scaleSets } from "./scaling.js";

export const deploymentController = syncController(
  "deployment",
  (loop, environment) => new Deployments(loop, environment),
);

class Deployments implements Syncing {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #deployments: StoreReader<Deployment>;
  readonly #setStore: StoreReader<ReplicaSet>;
  readonly #sets: ChildrenIndex<ReplicaSet>;
  readonly #pods: ChildrenIndex<Pod>;

  constructor(loop: SyncLoop, environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("deployment-controller");
    const deployments = loop.watch(Deployment, ({ key }) => [key]);
    this.#deployments = deployments;
    this.#setStore = loop.watch(ReplicaSet, (change) => ownerKeys(Deployment, deployments, change));
    this.#sets = new ChildrenIndex(this.#setStore);
    this.#pods = new ChildrenIndex(
      loop.watch(Pod, ({ previous, current }) => (previous && !current ? this.#onPodGone(previous) : [])),
    );
  }

  async sync(key: string): Promise<number | undefined> {
    const deployment = this.#deployments.get(key);
    if (!deployment) return undefined;
    const rollout = new Rollout(deployment, await this.#claim(deployment), {
      client: this.#environment.client,
      events: this.#events,
      now: () => this.#environment.clock.now(),
    });
    if (deployment.metadata?.deletionTimestamp) return this.#writeCounts(rollout);
    await reportPaused(rollout);
    if (deployment.spec?.paused || isScaled(rollout)) return this.#scaleOnly(rollout);
    if (isRolling(deployment)) await rollingUpdate(rollout);
    else await recreate(rollout, (set) => this.#pods.of(set));
    if (
      isComplete(
        rollout.deployment,
        rolloutStatus(rollout.deployment, rollout.newest, rollout.all, rollout.now),
      )
    )
      await this.#cleanUp(rollout);
    return this.#writeRolloutStatus(rollout);
  }

  #claim(deployment: Deployment): Promise<ReplicaSet[]> {
    return claimChildren({
      client: this.#environment.client,
      ownerKind: Deployment,
      owner: deployment,
      selector: LabelMatcher.from(deployment.spec?.selector),
      childKind: ReplicaSet,
      candidates: this.#sets.candidates(deployment),
    });
  }

  async #scaleOnly(rollout: Rollout): Promise<undefined> {
    await rollout.revise({ create: false });
    await scaleSets(rollout);
    if (rollout.deployment.spec?.paused) await this.#cleanUp(rollout);
    await this.#writeCounts(rollout);
  }

  async #writeCounts(rollout: Rollout): Promise<undefined> {
    await rollout.writeStatus(countedStatus(rollout.deployment, rollout.newest, rollout.all, rollout.now));
  }

  async #writeRolloutStatus(rollout: Rollout): Promise<number | undefined> {
    const status = rolloutStatus(rollout.deployment, rollout.newest, rollout.all, rollout.now);
    await rollout.writeStatus(status);
    return untilDeadline(rollout.deployment, status, rollout.now);
  }

  /** Removes the oldest sets beyond the history that is kept. */
  async #cleanUp(rollout: Rollout): Promise<void> {
    const limit = rollout.deployment.spec?.revisionHistoryLimit;
    if (limit === undefined) return;
    const alive = rollout.old.filter(({ metadata }) => !metadata?.deletionTimestamp);
    const surplus = alive.toSorted(byRevision).slice(0, Math.max(0, alive.length - limit));
    for (const set of surplus) if (isIdle(set)) await rollout.delete(set);
  }

  /** A Deployment that recreates its pods goes on when the last old one is gone. */
  #onPodGone(pod: Pod): Iterable<string> {
    const setKey = controllerKey(ReplicaSet, pod);
    const set = setKey === undefined ? undefined : this.#setStore.get(setKey);
    const key = set && controllerKey(Deployment, set);
    const deployment = key === undefined ? undefined : this.#deployments.get(key);
    return deployment && !isRolling(deployment) ? [objectKey(deployment)] : [];
  }
}

function isIdle(set: ReplicaSet): boolean {
  const { generation = 0 } = set.metadata ?? {};
  return (
    (set.status?.replicas ?? 0) === 0 &&
    replicasOf(set) === 0 &&
    generation <= (set.status?.observedGeneration ?? 0)
  );
}

/** Time spent paused does not count against the deadline. */
async function reportPaused(rollout: Rollout): Promise<void> {
  const { deployment } = rollout;
  if (deployment.spec?.progressDeadlineSeconds === undefined) return;
  const known = findCondition(deployment.status?.conditions, "Progressing");
  if (known?.reason === "ProgressDeadlineExceeded") return;
  const wasPaused = known?.reason === "DeploymentPaused";
  const isPaused = deployment.spec.paused === true;
  if (isPaused === wasPaused) return;
  const text = isPaused
    ? progressing("DeploymentPaused", "Deployment is paused", "Unknown")
    : progressing("DeploymentResumed", "Deployment is resumed", "Unknown");
  const conditions = withCondition(deployment.status?.conditions, text, rollout.now);
  await rollout.writeStatus({ ...deployment.status, conditions });
}
