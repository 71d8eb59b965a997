// The owner references of a StatefulSet's claims by its retention policy: none, the set when it is deleted, or a pod that is
// scaled away. The garbage collector does the rest.
import {
  controllerReference,
  type OwnerReference,
  type PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from "@kubewright/api";
import { isWanted } from "./stateful-pods.js";

/** The owners a claim should have; undefined when it has them, or is somebody else's. */
export function claimOwners(
  set: StatefulSet,
  pod: Pod,
  claim: PersistentVolumeClaim,
): readonly OwnerReference[] | undefined {
  const owners = claim.metadata?.ownerReferences ?? [];
  if (owners.some((owner) => isOutdated(owner, set, pod))) return undefined;
  const others = owners.filter((owner) => !isOurs(owner, set, pod));
  const wanted = others.some(({ controller }) => controller) ? [] : wantedOwners(set, pod);
  const ours = owners.filter((owner) => isOurs(owner, set, pod));
  const isSame =
    ours.length === wanted.length &&
    wanted.every(({ uid }) => ours.some((owner) => owner.uid === uid && owner.controller));
  return isSame ? undefined : [...others, ...wanted];
}

function wantedOwners(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === "Delete" && !isWanted(set, pod)) return [controllerReference(pod, { kind: Pod })];
  return whenDeleted === "Delete" ? [controllerReference(set, { kind: StatefulSet })] : [];
}

const isNamed = ({ kind, name }: OwnerReference, of: string, object: StatefulSet | Pod): boolean =>
  kind === of && name === object.metadata?.name;

const isOurs = (owner: OwnerReference, set: StatefulSet, pod: Pod): boolean =>
  isNamed(owner, "StatefulSet", set) || isNamed(owner, "Pod", pod);

/** The reference means an earlier set or pod of the same name: the claim is about to go. */
const isOutdated = (owner: OwnerReference, set: StatefulSet, pod: Pod): boolean =>
  (isNamed(owner, "StatefulSet", set) && owner.uid !== set.metadata?.uid) ||
  (isNamed(owner, "Pod", pod) && owner.uid !== pod.metadata?.uid);

/** Whether a new pod must wait until the claim is gone: it belongs to a pod that was scaled down, or is terminating. */
export function isStaleClaim(
  { spec }: StatefulSet,
  podName: string,
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (metadata?.deletionTimestamp) return true;
  return (
    spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" &&
    (metadata?.ownerReferences ?? []).some(({ kind, name }) => kind === "Pod" && name === podName)
  );
}
