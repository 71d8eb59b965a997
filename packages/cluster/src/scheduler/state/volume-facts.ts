// What the scheduler knows of volumes.
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/api";

/** Claims, volumes and classes by name. */
export interface VolumeFacts {
  /** By `namespace/name`. */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** Volumes of a class that no claim has yet. */
  available(storageClass: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
}
