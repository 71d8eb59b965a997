// Claims, volumes and classes of their attributes that are in use stay until they are not, even when they have been deleted.
import {
  hasFinalizer,
  type KubeObject,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  removeFinalizer,
  VolumeAttributesClass,
} from "@kubewright/api";
import { keyOf } from "@kubewright/runtime";
import { claimsOf } from "../../scheduler/state/pod-info.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";
const classFinalizer = "kubernetes.io/vac-protection";

const isLeaving = (object: KubeObject | undefined, finalizer: string): object is KubeObject =>
  object?.metadata?.deletionTimestamp !== undefined && hasFinalizer(object, finalizer);

/** Lets deleted claims go when no pod that has a node mounts them. */
export const claimProtection: BuiltInController = {
  name: "pvc-protection",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "pvc-protection", sync });
    const claims = loop.watch(PersistentVolumeClaim, ({ key, current }) =>
      isLeaving(current, claimFinalizer) ? [key] : [],
    );
    const pods = loop.watch(Pod, ({ previous, current }) => {
      const pod = current ?? previous;
      if (current || !pod) return [];
      return claimsOf(pod).map((name) => keyOf(name, pod.metadata?.namespace));
    });
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const claim = claims.get(key);
      if (!claim || !isLeaving(claim, claimFinalizer)) return;
      const { name = "", namespace } = claim.metadata ?? {};
      const isUsed = pods
        .list({ namespace })
        .some((pod) => pod.spec?.nodeName && claimsOf(pod).includes(name));
      if (!isUsed)
        await environment.client.update(PersistentVolumeClaim, removeFinalizer(claim, claimFinalizer));
    }
  },
};

/** Lets deleted volumes go when no claim is bound to them. */
export const volumeProtection: BuiltInController = {
  name: "pv-protection",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "pv-protection", sync });
    const volumes = loop.watch(PersistentVolume, ({ key, current }) =>
      isLeaving(current, volumeFinalizer) ? [key] : [],
    );
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const volume = volumes.get(key);
      if (!volume || !isLeaving(volume, volumeFinalizer) || volume.status?.phase === "Bound") return;
      await environment.client.update(PersistentVolume, removeFinalizer(volume, volumeFinalizer));
    }
  },
};

/** Lets deleted classes of volume attributes go when no volume has them and no claim asks for them. */
export const attributesClassProtection: BuiltInController = {
  name: "vac-protection",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "vac-protection", sync });
    const classes = loop.watch(VolumeAttributesClass, ({ key, current }) =>
      isLeaving(current, classFinalizer) ? [key] : [],
    );
    const claims = loop.watch(PersistentVolumeClaim, ({ previous }) => classesOfClaim(previous));
    const volumes = loop.watch(PersistentVolume, ({ previous }) => classesOfVolume(previous));
    return loop.start();

    async function sync(name: string): Promise<undefined> {
      const found = classes.get(name);
      if (!found || !isLeaving(found, classFinalizer)) return;
      const isUsed =
        volumes.list().some((volume) => classesOfVolume(volume).includes(name)) ||
        claims.list().some((claim) => classesOfClaim(claim).includes(name));
      if (!isUsed)
        await environment.client.update(VolumeAttributesClass, removeFinalizer(found, classFinalizer));
    }
  },
};

const classesOfVolume = (volume: PersistentVolume | undefined): string[] =>
  [volume?.spec?.volumeAttributesClassName].filter((name) => name !== undefined);

const classesOfClaim = (claim: PersistentVolumeClaim | undefined): string[] =>
  [
    claim?.spec?.volumeAttributesClassName,
    claim?.status?.currentVolumeAttributesClassName,
    claim?.status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined);
