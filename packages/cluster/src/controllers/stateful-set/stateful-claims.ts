// Makes the claims that pods of StatefulSets need, and keeps their owners as the retention policy says.
import { isAlreadyExists, isNotFound, PersistentVolumeClaim, type Pod, StatefulSet } from "@kubewright/api";
import { keyOf, type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { serverMessage } from "../../workload/server-message.js";
import type { ControllerEnvironment } from "../controller.js";
import { claimOwners, isStaleClaim } from "./claim-retention.js";
import { claimsFor, ordinalOf } from "./stateful-pods.js";

export class StatefulClaims {
  readonly #client: ControllerEnvironment["client"];
  readonly #events: EventRecorder;
  readonly #claims: StoreReader<PersistentVolumeClaim>;

  constructor(
    { client }: ControllerEnvironment,
    events: EventRecorder,
    claims: StoreReader<PersistentVolumeClaim>,
  ) {
    this.#client = client;
    this.#events = events;
    this.#claims = claims;
  }

  /** Makes those a pod lacks; false when one that is there must go first. */
  async ensure(set: StatefulSet, pod: Pod): Promise<boolean> {
    const podName = pod.metadata?.name ?? "";
    for (const claim of claimsFor(set, ordinalOf(set, pod) ?? 0)) {
      const known = this.#claims.get(objectKey(claim));
      if (known && isStaleClaim(set, podName, known)) return false;
      if (!known) await this.#create(set, podName, claim);
    }
    return true;
  }

  /** Gives the claims of pods the owners they should have. */
  async own(set: StatefulSet, pods: readonly Pod[]): Promise<void> {
    if ((set.spec?.volumeClaimTemplates ?? []).length === 0) return;
    for (const pod of pods)
      for (const { metadata } of claimsFor(set, ordinalOf(set, pod) ?? 0)) {
        const known = this.#claims.get(keyOf(metadata?.name ?? "", metadata?.namespace));
        const ownerReferences = known && claimOwners(set, pod, known);
        if (known && ownerReferences)
          await this.#update({ ...known, metadata: { ...known.metadata, ownerReferences } });
      }
  }

  async #create(set: StatefulSet, pod: string, claim: PersistentVolumeClaim): Promise<void> {
    const what = `Claim ${claim.metadata?.name} Pod ${pod} in StatefulSet ${set.metadata?.name}`;
    try {
      await this.#client.create(PersistentVolumeClaim, claim);
    } catch (error) {
      if (isAlreadyExists(error)) return;
      this.#events.warning(
        StatefulSet,
        set,
        "FailedCreate",
        `create ${what} failed error: ${serverMessage(error)}`,
      );
      throw error;
    }
    this.#events.normal(StatefulSet, set, "SuccessfulCreate", `create ${what} success`);
  }

  async #update(claim: PersistentVolumeClaim): Promise<void> {
    try {
      await this.#client.update(PersistentVolumeClaim, claim);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** The set that may wait for a claim to go: the one whose pod owned it. */
export function* setsWaitingFor({
  previous,
  current,
}: ObjectChange<PersistentVolumeClaim>): Iterable<string> {
  if (!previous || current) return;
  for (const { kind, name } of previous.metadata?.ownerReferences ?? [])
    yield keyOf(kind === "Pod" ? name.replace(/-[0-9]+$/, "") : name, previous.metadata?.namespace);
}
