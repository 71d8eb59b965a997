// The annotation that named the storage class before there was a field for it.
import type { ObjectMeta } from "@kubewright/api";

/** Read still, and warned about. */
export const betaStorageClass = "volume.beta.kubernetes.io/storage-class";

/** The warning about the deprecated annotation. */
export const storageClassWarnings = (metadata: ObjectMeta | undefined): string[] =>
  metadata?.annotations?.[betaStorageClass] === undefined
    ? []
    : [
        `metadata.annotations[${betaStorageClass}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ];
