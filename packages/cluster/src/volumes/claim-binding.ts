// The binding of claims and volumes: annotations and questions that controllers and the scheduler share.
import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/api";
import { matchesNodeSelector, matchesNodeTerm } from "../scheduler/node-fit.js";

/** The annotation that a controller or the scheduler sets when binding is complete. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
/** Set when the other side of the binding was chosen by a controller and not by a user. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** The node the scheduler has chosen for the first pod of a claim. */
export const selectedNode = "volume.kubernetes.io/selected-node";
const oldClass = "volume.beta.kubernetes.io/storage-class";

/** The name of the class; empty for none. */
export function classOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata?.annotations?.[oldClass] ?? spec?.storageClassName ?? "";
}

/** Whether a claim has its volume for good. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata?.annotations?.[bindCompleted] !== undefined;
}

/** Whether volumes of the class wait for the first pod that uses them. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

/** Whether a volume can be used on a node. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || matchesNodeSelector(required, node);
}

/** Whether the class provisions volumes that can be used on a node. */
export function provisionsOn({ provisioner, allowedTopologies = [] }: StorageClass, node: Node): boolean {
  if (provisioner === noProvisioner) return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchesNodeTerm(
      { matchExpressions: matchLabelExpressions.map(({ key, values }) => ({ key, operator: "In", values })) },
      node,
    ),
  );
}

/** The provisioner of classes whose volumes are made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";

/** Whether a volume names a claim, by uid where it gives one. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (!ref || ref.name !== metadata?.name || ref.namespace !== metadata?.namespace) return false;
  return !ref.uid || ref.uid === metadata?.uid;
}
