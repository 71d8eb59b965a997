// The volume a claim gets from the provisioner of this cluster.
import { type Node, type PersistentVolume, PersistentVolumeClaim, type StorageClass } from "@kubewright/api";

/** Names the provisioner in storage classes. */
export const provisioner = "simulated.kubewright.dev";

/** A volume of the size asked for, reserved for the claim. */
export function provisionedVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node | undefined,
): PersistentVolume {
  const { name, namespace, uid = "", resourceVersion } = claim.metadata ?? {};
  const { accessModes, volumeMode, resources } = claim.spec ?? {};
  const volumeName = `pvc-${uid}`;
  const topology = topologyOf(storageClass, node);
  return {
    metadata: { name: volumeName, annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.["storage"] ?? "0" },
      claimRef: { apiVersion: "v1", kind: PersistentVolumeClaim.kind, name, namespace, uid, resourceVersion },
      csi: { driver: provisioner, volumeHandle: volumeName },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata?.name,
      volumeMode,
      ...(storageClass.mountOptions ? { mountOptions: storageClass.mountOptions } : {}),
      ...(topology.length > 0 ? { nodeAffinity: { required: { nodeSelectorTerms: topology } } } : {}),
    },
  };
}

/** Volumes can be used everywhere, unless the class says where they are made: then in that place of the chosen node. */
function topologyOf({ allowedTopologies = [] }: StorageClass, node: Node | undefined) {
  const labels = node?.metadata?.labels ?? {};
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }) => {
    const isThere = matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""));
    if (node && !isThere) return [];
    const matchExpressions = matchLabelExpressions.map(({ key, values }) => ({
      key,
      operator: "In" as const,
      values: node ? [labels[key] ?? ""] : values,
    }));
    return [{ matchExpressions }];
  });
}
