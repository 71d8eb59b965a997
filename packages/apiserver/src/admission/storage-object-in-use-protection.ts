// StorageObjectInUseProtection: gives volumes and claims a finalizer, which a controller removes when they are no longer in use.
import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";

const finalizers = [
  ["persistentvolumes", "kubernetes.io/pv-protection"],
  ["persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["volumeattributesclasses.storage.k8s.io", "kubernetes.io/vac-protection"],
] as const;

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  resources: finalizers.map(([resource]) => resource),
  mutate(request) {
    for (const [resource, finalizer] of finalizers) {
      const metadata = written(request, resource, "CREATE")?.metadata;
      if (!metadata || metadata.finalizers?.includes(finalizer)) continue;
      metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    }
  },
};
