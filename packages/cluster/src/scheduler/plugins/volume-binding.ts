// Volumes decide where a pod can run: those it has must be reachable, those it waits for must be to be had.
import type { PersistentVolume, PersistentVolumeClaim } from "@kubewright/api";
import {
  classOf,
  isFullyBound,
  isReachable,
  provisionsOn,
  selectedNode,
  waitsForConsumer,
} from "../../volumes/claim-binding.js";
import { findVolume } from "../../volumes/match-volume.js";
import { type FilterPlugin, final, type Misfit, type Rejection } from "../plugin.js";
import type { NodeState } from "../state/node-state.js";
import type { PodInfo } from "../state/pod-info.js";
import type { VolumeLister } from "../state/volume-lister.js";

const conflict = final("node(s) didn't match PersistentVolume's node affinity");
const nothingToBind = final("node(s) didn't find available persistent volumes to bind");
const zoneConflict = final("node(s) had no available volume zone");
const missing = final("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");

/** The claims of a pod, by what is still to be done for them. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** To be bound or provisioned once there is a node. */
  readonly waiting: readonly PersistentVolumeClaim[];
}

/** The claims of a pod, or the reason it cannot be scheduled yet. */
export function claimsFor({ namespace, claims, pod }: PodInfo, lister: VolumeLister): PodClaims | Rejection {
  const bound: PersistentVolumeClaim[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  for (const name of claims) {
    const claim = lister.claim(`${namespace}/${name}`);
    if (!claim) return { rejection: absent(pod, name) };
    if (claim.metadata?.deletionTimestamp)
      return { rejection: `persistentvolumeclaim "${name}" is being deleted` };
    if (claim.status?.phase === "Lost")
      return {
        rejection: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName}"`,
      };
    if (isFullyBound(claim)) bound.push(claim);
    else if (waitsForConsumer(lister.storageClass(classOf(claim))) && !claim.spec?.volumeName)
      waiting.push(claim);
    else return { rejection: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { bound, waiting };
}

function absent({ spec }: PodInfo["pod"], name: string): string {
  const isEphemeral = (spec?.volumes ?? []).some(
    ({ ephemeral, name: own }) => ephemeral && name.endsWith(`-${own}`),
  );
  return isEphemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    : `persistentvolumeclaim "${name}" not found`;
}

export const volumeBinding: FilterPlugin = {
  name: "VolumeBinding",
  prepare(pod, { volumes: lister }) {
    if (pod.claims.length === 0) return undefined;
    const claims = claimsFor(pod, lister);
    if ("rejection" in claims) return claims;
    const bound = claims.bound.map(({ spec }) => lister.volume(spec?.volumeName ?? ""));
    return {
      check: (node) =>
        misfitOfBound(bound, node) ?? (planBinding(claims.waiting, lister, node) ? undefined : nothingToBind),
    };
  },
};

function misfitOfBound(
  volumes: readonly (PersistentVolume | undefined)[],
  { node, labels }: NodeState,
): Misfit | undefined {
  for (const volume of volumes) {
    if (!volume) return missing;
    if (!isReachable(volume, node)) return conflict;
    if (!isInZone(volume, labels)) return zoneConflict;
  }
  return undefined;
}

const zoneLabels = [
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
];

/** Volumes may name their zones by label, several joined by `__`. */
function isInZone({ metadata }: PersistentVolume, labels: NodeState["labels"]): boolean {
  return zoneLabels.every((label) => {
    const zones = metadata?.labels?.[label];
    if (zones === undefined || labels[label] === undefined) return true;
    return zones.split("__").includes(labels[label]);
  });
}

/** The binding of one claim once its pod has a node. */
export type Binding =
  | { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }
  | { readonly claim: PersistentVolumeClaim; readonly provision: true };

/** How every waiting claim gets a volume on the node; undefined when one cannot. */
export function planBinding(
  waiting: readonly PersistentVolumeClaim[],
  lister: VolumeLister,
  { node, name }: NodeState,
): readonly Binding[] | undefined {
  const taken = new Set<string>();
  const bindings: Binding[] = [];
  for (const claim of waiting) {
    const chosen = claim.metadata?.annotations?.[selectedNode];
    if (chosen !== undefined && chosen !== name) return undefined;
    const volume =
      chosen === undefined ? findVolume(claim, lister.available(classOf(claim)), { node, taken }) : undefined;
    const storageClass = lister.storageClass(classOf(claim));
    if (volume) {
      taken.add(volume.metadata?.name ?? "");
      bindings.push({ claim, volume });
    } else if (storageClass && provisionsOn(storageClass, node)) bindings.push({ claim, provision: true });
    else return undefined;
  }
  return bindings;
}
