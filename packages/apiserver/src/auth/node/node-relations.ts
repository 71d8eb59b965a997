// The objects that belong to a node: its pods, and the objects these refer to. They are looked up per request: kubelets read
// such objects rarely, and the pods of one namespace are few beside the writes that an index would have to follow.

import type { PersistentVolume, Pod, ResourceSlice, VolumeAttachment } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { Storage } from "../../storage/index.js";
import { mirrorAnnotation, type ReferenceKind, refersTo } from "./pod-references.js";

/** The kinds that may belong to a node. */
export type RelatedKind =
  | ReferenceKind
  | "pods"
  | "persistentvolumes"
  | "volumeattachments"
  | "resourceslices";

const as = <T>(object: StoredObject | undefined): T | undefined => object as unknown as T | undefined;

/** Whether an object is of concern to a node. */
export function isRelated(
  storage: Storage,
  node: string,
  kind: RelatedKind,
  namespace: string,
  name: string,
): boolean {
  switch (kind) {
    case "pods":
      return as<Pod>(storage.get("pods", `${namespace}/${name}`))?.spec?.nodeName === node;
    case "volumeattachments":
      return (
        as<VolumeAttachment>(storage.get("storage.k8s.io/volumeattachments", name))?.spec.nodeName === node
      );
    case "resourceslices":
      return as<ResourceSlice>(storage.get("resource.k8s.io/resourceslices", name))?.spec.nodeName === node;
    case "persistentvolumes":
      return isVolumeOf(storage, node, as<PersistentVolume>(storage.get("persistentvolumes", name)));
    case "secrets":
      return (
        isReferred(storage, node, kind, namespace, name) || isVolumeSecret(storage, node, namespace, name)
      );
    default:
      return isReferred(storage, node, kind, namespace, name);
  }
}

function isReferred(
  storage: Storage,
  node: string,
  kind: ReferenceKind,
  namespace: string,
  name: string,
): boolean {
  for (const object of storage.list("pods", { prefix: `${namespace}/` })) {
    const pod = object as unknown as Pod;
    if (pod.spec?.nodeName !== node || pod.metadata?.annotations?.[mirrorAnnotation] !== undefined) continue;
    if (refersTo(pod, kind, name)) return true;
  }
  return false;
}

/** Its claim is one of a pod of the node. */
function isVolumeOf(storage: Storage, node: string, volume: PersistentVolume | undefined): boolean {
  const claim = volume?.spec?.claimRef;
  if (!claim) return false;
  return isReferred(storage, node, "persistentvolumeclaims", claim.namespace ?? "", claim.name ?? "");
}

function isVolumeSecret(storage: Storage, node: string, namespace: string, name: string): boolean {
  for (const object of storage.list("persistentvolumes", { prefix: "" })) {
    const volume = object as unknown as PersistentVolume;
    for (const secret of volumeSecrets(volume))
      if (secret.name === name && secret.namespace === namespace && isVolumeOf(storage, node, volume))
        return true;
  }
  return false;
}

interface SecretName {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Secrets that mounting a volume takes; those without a namespace are in that of the claim. */
function* volumeSecrets({ spec }: PersistentVolume): Iterable<SecretName> {
  const home = spec?.claimRef?.namespace;
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec ?? {};
  if (azureFile) yield { name: azureFile.secretName, namespace: azureFile.secretNamespace ?? home };
  const references = [
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef),
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  for (const reference of references)
    if (reference) yield { name: reference.name, namespace: reference.namespace || home };
}
