// The objects that come with a storage driver: a default storage class, and the permission to make volumes.
import { ClusterRoleBinding, StorageClass } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { provisionerAccount } from "../../identity/component-user.js";
import { createMissing } from "../../seed/create-missing.js";
import { provisioner } from "./provisioned-volume.js";

/** The class of every cluster: volumes are made when the first pod that needs them has a node. */
function storageClass(defaultName: string): StorageClass {
  const isDefault = defaultName !== "none";
  return {
    metadata: {
      name: isDefault ? defaultName : "standard",
      annotations: { "storageclass.kubernetes.io/is-default-class": String(isDefault) },
    },
    provisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  };
}

const binding: ClusterRoleBinding = {
  metadata: { name: provisionerAccount },
  roleRef: {
    apiGroup: ClusterRoleBinding.group,
    kind: "ClusterRole",
    name: "system:persistent-volume-provisioner",
  },
  subjects: [{ kind: "ServiceAccount", name: provisionerAccount, namespace: "kube-system" }],
};

/**
 * Installs both as the administrator; existing objects stay as they are. With `none` as the name of the default class there
 * is `standard`, and it is nobody's default.
 */
export async function installDriver(client: Client, defaultName: string): Promise<void> {
  await createMissing(client, ClusterRoleBinding, binding);
  await createMissing(client, StorageClass, storageClass(defaultName));
}
