// One look at a Deployment: its sets as they are now, and the ways to change them. What is changed shows at once.
import {
  controllerReference,
  Deployment,
  type DeploymentStatus,
  deepEqual,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  ReplicaSet,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { serverMessage } from "../../workload/server-message.js";
import { hashLabel, templateHash } from "../../workload/template-hash.js";
import { replaceCondition, withCondition } from "./deployment-status.js";
import {
  desiredAnnotation,
  findNewSet,
  isSameTemplate,
  lastRevision,
  maxAnnotation,
  revisionAnnotation,
  setAnnotations,
} from "./revisions.js";
import { maxSurge, replicasForNew, replicasOf } from "./rollout-limits.js";
import { progressing } from "./rollout-progress.js";

export interface RolloutOptions {
  readonly client: CachedClient;
  readonly events: EventRecorder;
  readonly now: () => number;
}

export class Rollout {
  deployment: Deployment;
  readonly #options: RolloutOptions;
  readonly #sets: Map<string, ReplicaSet>;

  constructor(deployment: Deployment, sets: readonly ReplicaSet[], options: RolloutOptions) {
    this.deployment = deployment;
    this.#options = options;
    this.#sets = new Map(sets.map((set) => [set.metadata?.name ?? "", set]));
  }

  get all(): readonly ReplicaSet[] {
    return [...this.#sets.values()];
  }

  /** The set with the Deployment's own template. */
  get newest(): ReplicaSet | undefined {
    return findNewSet(this.deployment, this.all);
  }

  get old(): readonly ReplicaSet[] {
    const { newest } = this;
    return this.all.filter((set) => set !== newest);
  }

  get now(): number {
    return this.#options.now();
  }

  /** Brings annotations of the newest set up to date; creates it where `create` is true. */
  async revise({ create }: { readonly create: boolean }): Promise<void> {
    const { newest } = this;
    const revision = lastRevision(this.old) + 1n;
    if (newest) await this.#reuse(newest, revision);
    else if (create) await this.#create(revision);
  }

  /** Scales a set and records an event. */
  async scale(set: ReplicaSet, replicas: number): Promise<boolean> {
    const from = replicasOf(set);
    const annotations = { ...set.metadata?.annotations, ...this.#scaleAnnotations() };
    const isSized = from === replicas;
    if (isSized && deepEqual(annotations, set.metadata?.annotations ?? {})) return false;
    await this.#update({
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec, ...spec(set), replicas },
    });
    if (!isSized) this.#recordScaled(set, from, replicas);
    return !isSized;
  }

  async delete({ metadata }: ReplicaSet): Promise<void> {
    const { name = "", namespace, uid } = metadata ?? {};
    try {
      await this.#options.client.delete(ReplicaSet, name, { namespace, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#sets.delete(name);
  }

  /** Writes the status, and the annotations of the object with it, if anything differs. */
  async writeStatus(
    status: DeploymentStatus,
    annotations: Readonly<Record<string, string>> | undefined = this.deployment.metadata?.annotations,
  ): Promise<void> {
    const { deployment } = this;
    if (deepEqual(status, deployment.status) && deepEqual(annotations, deployment.metadata?.annotations))
      return;
    const changed = { ...deployment, metadata: { ...deployment.metadata, annotations }, status };
    this.deployment = await this.#options.client.update(Deployment, changed, { subresource: "status" });
  }

  async #reuse(set: ReplicaSet, revision: bigint): Promise<void> {
    const annotations = setAnnotations(this.deployment, set, revision);
    const minReadySeconds = this.deployment.spec?.minReadySeconds;
    const isCurrent =
      deepEqual(annotations, set.metadata?.annotations ?? {}) &&
      (set.spec?.minReadySeconds ?? 0) === (minReadySeconds ?? 0);
    const current = isCurrent
      ? set
      : await this.#update({
          ...set,
          metadata: { ...set.metadata, annotations },
          spec: { ...set.spec, ...spec(set), minReadySeconds },
        });
    const { conditions } = this.deployment.status ?? {};
    const isReported = conditions?.some(({ type }) => type === "Progressing");
    const found = progressing("FoundNewReplicaSet", `Found new replica set "${set.metadata?.name}"`);
    await this.#writeRevision(current, isReported ? conditions : withCondition(conditions, found, this.now));
  }

  async #create(revision: bigint): Promise<void> {
    const { deployment } = this;
    const template = this.#newSet(revision);
    let set: ReplicaSet;
    try {
      set = await this.#options.client.create(ReplicaSet, template);
    } catch (error) {
      set = await this.#onCreateFailure(template, error);
    }
    this.#sets.set(set.metadata?.name ?? "", set);
    const size = replicasOf(set);
    if (size > 0) this.#recordScaled(set, 0, size);
    const created = progressing("NewReplicaSetCreated", `Created new replica set "${set.metadata?.name}"`);
    await this.#writeRevision(set, replaceCondition(deployment.status?.conditions, created, this.now));
  }

  /** The set may be there already, unknown to the cache; or another one has its name by chance. */
  async #onCreateFailure(template: ReplicaSet, error: unknown): Promise<ReplicaSet> {
    const { deployment } = this;
    const { name = "", namespace } = template.metadata ?? {};
    if (!isAlreadyExists(error)) {
      if (!isNamespaceTerminating(error)) await this.#reportFailure(name, error);
      throw error;
    }
    const found = await this.#options.client.live.get(ReplicaSet, name, { namespace });
    const isOurs = isControlledBy(found, deployment);
    if (isOurs && isSameTemplate(found.spec?.template, deployment.spec?.template)) return found;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await this.writeStatus({ ...deployment.status, collisionCount });
    throw error;
  }

  async #reportFailure(name: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${name}": ${serverMessage(error)}`;
    this.#options.events.warning(Deployment, this.deployment, "ReplicaSetCreateError", message);
    const failed = progressing("ReplicaSetCreateError", message, "False");
    const { status } = this.deployment;
    await this.writeStatus({ ...status, conditions: withCondition(status?.conditions, failed, this.now) });
  }

  #newSet(revision: bigint): ReplicaSet {
    const { deployment } = this;
    const { selector, template, minReadySeconds } = deployment.spec ?? {};
    const hash = templateHash(template, deployment.status?.collisionCount);
    const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
    return {
      metadata: {
        name: `${deployment.metadata?.name}-${hash}`,
        namespace: deployment.metadata?.namespace,
        labels,
        annotations: { ...setAnnotations(deployment, undefined, revision), ...this.#scaleAnnotations() },
        ownerReferences: [controllerReference(deployment, { kind: Deployment })],
      },
      spec: {
        replicas: replicasForNew(deployment, this.all, 0),
        minReadySeconds,
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
        template: { ...template, metadata: { ...template?.metadata, labels } },
      },
    };
  }

  #writeRevision(set: ReplicaSet, conditions: DeploymentStatus["conditions"]): Promise<void> {
    const revision = set.metadata?.annotations?.[revisionAnnotation] ?? "";
    const annotations = { ...this.deployment.metadata?.annotations, [revisionAnnotation]: revision };
    return this.writeStatus({ ...this.deployment.status, conditions }, annotations);
  }

  #scaleAnnotations(): Readonly<Record<string, string>> {
    const wanted = replicasOf(this.deployment);
    return {
      [desiredAnnotation]: String(wanted),
      [maxAnnotation]: String(wanted + maxSurge(this.deployment)),
    };
  }

  #recordScaled(set: ReplicaSet, from: number, to: number): void {
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata?.name} from ${from} to ${to}`;
    this.#options.events.normal(Deployment, this.deployment, "ScalingReplicaSet", message);
  }

  async #update(set: ReplicaSet): Promise<ReplicaSet> {
    const updated = await this.#options.client.update(ReplicaSet, set);
    this.#sets.set(updated.metadata?.name ?? "", updated);
    return updated;
  }
}

/** A set always has a selector; its type only says so when there is a spec. */
function spec({ spec }: ReplicaSet): { readonly selector: NonNullable<ReplicaSet["spec"]>["selector"] } {
  return { selector: spec?.selector ?? {} };
}
