// PersistentVolumeClaimResize: a bound claim may grow where its StorageClass allows expansion.

import {
  compareQuantities,
  type Draft,
  type PersistentVolumeClaim,
  type StorageClass,
} from "@kubewright/api";
import { draftAs, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";
import { refused } from "./refuse.js";

export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  resources: ["persistentvolumeclaims"],
  validate(request) {
    const object = written(request, "persistentvolumeclaims", "UPDATE");
    if (!object || !request.oldObject) return;
    const claim = draftAs<PersistentVolumeClaim>(object);
    const before = storedAs<PersistentVolumeClaim>(request.oldObject);
    if (!grows(claim, before)) return;
    if (before.status?.phase !== "Bound")
      throw refused(request, "Only bound persistent volume claims can be expanded");
    if (!classAllows(request, claim)) {
      const text =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw refused(request, text);
    }
  },
};

function grows(claim: Draft<PersistentVolumeClaim>, before: PersistentVolumeClaim): boolean {
  const now = claim.spec?.resources?.requests?.["storage"] ?? "0";
  return compareQuantities(now, before.spec?.resources?.requests?.["storage"] ?? "0") > 0;
}

function classAllows(
  { context }: AdmissionRequest,
  { metadata, spec }: Draft<PersistentVolumeClaim>,
): boolean {
  const annotated = metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  const name = annotated ?? spec?.storageClassName ?? "";
  const found = context.services.storage.get("storage.k8s.io/storageclasses", name);
  return found !== undefined && storedAs<StorageClass>(found).allowVolumeExpansion === true;
}
