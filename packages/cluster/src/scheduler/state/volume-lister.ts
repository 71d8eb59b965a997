// The claims, volumes and storage classes that the scheduler reads.
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/api";

/** Claims, volumes and classes by name. */
export interface VolumeLister {
  /** By `namespace/name`. */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** Volumes of a class that no claim has yet. */
  available(storageClass: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
}
