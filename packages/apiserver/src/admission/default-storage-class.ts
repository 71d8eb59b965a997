// Claims that name no class get the default one.

import type { PersistentVolumeClaim } from "@kubewright/api";
import { draftAs } from "@kubewright/kinds";

import type { AdmissionPlugin } from "./admission.js";
import { markedDefault } from "./marked-default.js";
import { written } from "./matches.js";

export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  resources: ["persistentvolumeclaims"],
  mutate(request) {
    const object = written(request, "persistentvolumeclaims", "CREATE");
    if (!object) return;
    const { metadata, spec } = draftAs<PersistentVolumeClaim>(object);
    if (!spec || spec.storageClassName !== undefined) return;
    if (metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined) return;
    const name = markedDefault(
      request.context.services.storage,
      "storage.k8s.io/storageclasses",
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    );
    if (name !== undefined) spec.storageClassName = name;
  },
};
