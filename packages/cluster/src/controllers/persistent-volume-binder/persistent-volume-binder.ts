// Brings claims and volumes together, and says what becomes of volumes whose claim is gone.
import {
  deepEqual,
  isNotFound,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "@kubewright/api";
import { keyOf, type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import { claimsOf } from "../../scheduler/state/pod-info.js";
import { bindCompleted, boundByController, classOf } from "../../volumes/claim-binding.js";
import { candidatesFor, indexVolumes } from "../../volumes/volume-indexes.js";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { type ClaimPlan, type Note, planClaim } from "./claim-plan.js";
import { planVolume } from "./volume-plan.js";

export const persistentVolumeBinder: BuiltInController = {
  name: "persistentvolume-binder",
  start: (environment) => new Binder(environment).start(),
};

/** Keys of claims have a slash, so that one queue can hold both. */
const isClaim = (key: string): boolean => key.includes("/");
const provisionerAnnotations = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];

class Binder implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #loop: SyncLoop;
  readonly #claims: StoreReader<PersistentVolumeClaim>;
  readonly #volumes: StoreReader<PersistentVolume>;
  readonly #classes: StoreReader<StorageClass>;
  readonly #pods: StoreReader<Pod>;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    // One at a time, so that no volume is given to two claims.
    const sync = (key: string) => (isClaim(key) ? this.#syncClaim(key) : this.#syncVolume(key));
    this.#loop = new SyncLoop(environment, { name: "persistentvolume-binder", concurrency: 1, sync });
    this.#claims = this.#loop.watch(PersistentVolumeClaim, volumesAndClaim);
    this.#volumes = this.#loop.watch(PersistentVolume, (change) => this.#onVolume(change));
    indexVolumes(this.#volumes);
    this.#classes = this.#loop.watch(StorageClass, ({ key, current }) =>
      current ? this.#unboundOf(key) : [],
    );
    this.#pods = this.#loop.cache(Pod);
    this.#pods.addIndex("claim", byClaim);
  }

  async start(): Promise<this> {
    await this.#loop.start();
    return this;
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** The volume itself, the claim it names, and claims that could have it. */
  #onVolume({ key, previous, current }: ObjectChange<PersistentVolume>): Iterable<string> {
    const keys = [key];
    for (const { spec } of [previous, current].filter((one) => one !== undefined))
      if (spec?.claimRef?.name) keys.push(keyOf(spec.claimRef.name, spec.claimRef.namespace));
    const isFree = current?.status?.phase === "Available" && previous?.status?.phase !== "Available";
    return isFree ? [...keys, ...this.#unboundOf(classOf(current))] : keys;
  }

  #unboundOf(storageClass: string): string[] {
    return [...this.#claims.values()]
      .filter((claim) => classOf(claim) === storageClass && claim.status?.phase !== "Bound")
      .map(objectKey);
  }

  async #syncClaim(key: string): Promise<undefined> {
    const claim = this.#claims.get(key);
    if (!claim || claim.metadata?.deletionTimestamp) return;
    const waiting = this.#pods.byIndex("claim", key).find(({ spec }) => !spec?.nodeName);
    const plan = planClaim(claim, {
      candidates: candidatesFor(this.#volumes, claim),
      volume: (name) => this.#volumes.get(name),
      storageClass: this.#classes.get(classOf(claim)),
      waitingPod: waiting?.metadata?.name,
    });
    if (plan.do === "bind") return this.#bind(claim, plan.volume);
    await this.#writePhase(claim, plan);
  }

  async #writePhase(
    claim: PersistentVolumeClaim,
    plan: Exclude<ClaimPlan, { readonly do: "bind" }>,
  ): Promise<void> {
    if (plan.do === "provision") await this.#askProvisioner(claim, plan.provisioner);
    else if (plan.note) this.#note(claim, plan.note);
    const phase = plan.do === "lose" ? "Lost" : "Pending";
    if (claim.status?.phase !== phase) await this.#setClaimStatus(claim, { phase });
  }

  async #askProvisioner(claim: PersistentVolumeClaim, provisioner: string): Promise<void> {
    if (provisionerAnnotations.every((name) => claim.metadata?.annotations?.[name] === provisioner)) return;
    const asked = Object.fromEntries(provisionerAnnotations.map((name) => [name, provisioner]));
    const annotations = { ...claim.metadata?.annotations, ...asked };
    const metadata = { ...claim.metadata, annotations };
    await this.#environment.client.update(PersistentVolumeClaim, { ...claim, metadata });
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    this.#note(claim, { type: "Normal", reason: "ExternalProvisioning", message });
  }

  /** First the volume references the claim, then the claim the volume, so that a restart in between finds the first step done. */
  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<undefined> {
    const { client } = this.#environment;
    const { name: claimName = "", namespace, uid } = claim.metadata ?? {};
    const name = volume.metadata?.name ?? "";
    if (volume.spec?.claimRef?.uid !== uid) {
      const isChosen = volume.spec?.claimRef === undefined;
      const claimRef = {
        apiVersion: "v1",
        kind: PersistentVolumeClaim.kind,
        name: claimName,
        namespace,
        uid,
      };
      const metadata = {
        ...volume.metadata,
        ...(isChosen ? { annotations: { ...volume.metadata?.annotations, [boundByController]: "yes" } } : {}),
      };
      await client.update(PersistentVolume, { ...volume, metadata, spec: { ...volume.spec, claimRef } });
    }
    const bound = await this.#completeClaim(claim, name);
    const { accessModes, capacity } = volume.spec ?? {};
    // A claim that grows keeps what it has until it has grown.
    const before = bound.status?.phase === "Bound" ? bound.status.capacity : undefined;
    await this.#setClaimStatus(bound, { phase: "Bound", accessModes, capacity: before ?? capacity });
    this.#loop.add(name);
  }

  async #completeClaim(claim: PersistentVolumeClaim, volumeName: string): Promise<PersistentVolumeClaim> {
    const annotations = {
      ...claim.metadata?.annotations,
      [bindCompleted]: "yes",
      ...(claim.spec?.volumeName ? {} : { [boundByController]: "yes" }),
    };
    const wanted = {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName },
    };
    if (deepEqual(wanted, claim)) return claim;
    return this.#environment.client.update(PersistentVolumeClaim, wanted);
  }

  async #setClaimStatus(
    claim: PersistentVolumeClaim,
    change: NonNullable<PersistentVolumeClaim["status"]>,
  ): Promise<void> {
    const status = { ...claim.status, ...change };
    if (deepEqual(status, claim.status)) return;
    await this.#environment.client.update(
      PersistentVolumeClaim,
      { ...claim, status },
      { subresource: "status" },
    );
  }

  async #syncVolume(name: string): Promise<undefined> {
    const volume = this.#volumes.get(name);
    if (!volume) return;
    const { name: claim = "", namespace } = volume.spec?.claimRef ?? {};
    const plan = planVolume(volume, this.#claims.get(keyOf(claim, namespace)));
    const { client } = this.#environment;
    if (plan.do === "set") await this.#setPhase(volume, plan.phase);
    else if (plan.do === "unbind") await client.update(PersistentVolume, unbound(volume));
    else if (plan.do === "delete" && !volume.metadata?.deletionTimestamp)
      await client.delete(PersistentVolume, name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    if (plan.do === "wait") this.#loop.add(keyOf(claim, namespace));
  }

  async #setPhase(volume: PersistentVolume, phase: "Available" | "Bound" | "Released"): Promise<void> {
    if (volume.status?.phase === phase) return;
    const status = { ...volume.status, phase };
    await this.#environment.client.update(PersistentVolume, { ...volume, status }, { subresource: "status" });
  }

  #note(claim: PersistentVolumeClaim, { type, reason, message }: Note): void {
    const events = this.#environment.events("persistentvolume-controller");
    if (type === "Normal") events.normal(PersistentVolumeClaim, claim, reason, message);
    else events.warning(PersistentVolumeClaim, claim, reason, message);
  }
}

function unbound(volume: PersistentVolume): PersistentVolume {
  const { [boundByController]: _bound, ...annotations } = volume.metadata?.annotations ?? {};
  return {
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: { ...volume.spec, claimRef: undefined },
  };
}

/** The claim itself and the volume it had or has. */
function* volumesAndClaim({ key, previous, current }: ObjectChange<PersistentVolumeClaim>): Iterable<string> {
  if (current) yield key;
  const names = new Set([previous?.spec?.volumeName, current?.spec?.volumeName]);
  for (const name of names) if (name) yield name;
}

const byClaim = (pod: Pod): readonly string[] =>
  claimsOf(pod).map((name) => keyOf(name, pod.metadata?.namespace));
