// The pods of a StatefulSet: each with a number, a name that stays, and claims of its own.
import {
  type ControllerRevision,
  controllerReference,
  type PersistentVolumeClaim,
  type Pod,
  StatefulSet,
  scaleIntOrPercent,
  type Volume,
} from "@kubewright/api";
import { isAvailable, isReady } from "../../workload/pod-state.js";
import { revisionLabel, templateIn } from "../../workload/template-revisions.js";

export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;
export const firstOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;

/** The number of a pod of the set; undefined when its name has none. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const prefix = `${set.metadata?.name}-`;
  const rest = metadata?.name?.startsWith(prefix) ? metadata.name.slice(prefix.length) : "";
  return /^[0-9]+$/.test(rest) ? Number(rest) : undefined;
}

/** Whether the set wants a pod with this number. */
export function isWanted(set: StatefulSet, pod: Pod): boolean {
  const place = (ordinalOf(set, pod) ?? -1) - firstOrdinal(set);
  return place >= 0 && place < replicasOf(set);
}

/** Pods whose number is not wanted, the last first. */
export function surplusOf(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  return pods
    .filter((pod) => ordinalOf(set, pod) !== undefined && !isWanted(set, pod))
    .toSorted((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
}

/** How many pods may be missing while the set is updated; one at least, or it could never be. */
export function maxUnavailable(set: StatefulSet): number {
  const { maxUnavailable: most = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  return Math.max(1, scaleIntOrPercent(most, replicasOf(set), "down"));
}

export const podRevision = ({ metadata }: Pod): string | undefined => metadata?.labels?.[revisionLabel];

export const isTerminating = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** Running and ready, for as long as the set asks for. */
export function isHealthy(set: StatefulSet, pod: Pod, now: number): boolean {
  return (
    pod.status?.phase === "Running" &&
    isReady(pod) &&
    isAvailable(pod, set.spec?.minReadySeconds ?? 0, now) &&
    !isTerminating(pod)
  );
}

/** The pod with that number, of that revision. */
export function statefulPod(set: StatefulSet, revision: ControllerRevision, ordinal: number): Pod {
  const template = templateIn(revision) ?? set.spec?.template;
  const setName = set.metadata?.name ?? "";
  const name = `${setName}-${ordinal}`;
  const { annotations, finalizers, labels } = template?.metadata ?? {};
  return {
    metadata: {
      name,
      generateName: `${setName}-`,
      namespace: set.metadata?.namespace,
      labels: {
        ...labels,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": String(ordinal),
        [revisionLabel]: revision.metadata?.name ?? "",
      },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(set, { kind: StatefulSet })],
    },
    spec: {
      containers: [],
      ...template?.spec,
      hostname: name,
      subdomain: set.spec?.serviceName,
      ...withClaims(set, name, template?.spec?.volumes),
    },
  };
}

/** Volumes of claim templates take the place of others of the same name. */
function withClaims(
  set: StatefulSet,
  pod: string,
  volumes: readonly Volume[] | undefined,
): { readonly volumes?: readonly Volume[] } {
  const claims = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }): Volume => {
    const name = metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: `${name}-${pod}` } };
  });
  if (claims.length === 0) return volumes ? { volumes } : {};
  const others = (volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name));
  return { volumes: [...claims, ...others] };
}

/** The claims a pod of the set needs. */
export function claimsFor(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: `${template.metadata?.name}-${set.metadata?.name}-${ordinal}`,
      namespace: set.metadata?.namespace,
      labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
    },
  }));
}
