// Listers of claims, volumes and storage classes over the caches.
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import { indexVolumes, volumesOfClass } from "../volumes/volume-indexes.js";
import type { VolumeLister } from "./state/volume-lister.js";

export interface VolumeStores {
  readonly claims: StoreReader<PersistentVolumeClaim>;
  readonly volumes: StoreReader<PersistentVolume>;
  readonly classes: StoreReader<StorageClass>;
}

export function volumeFacts({ claims, volumes, classes }: VolumeStores): VolumeLister {
  indexVolumes(volumes);
  return {
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    available: (name) => volumesOfClass(volumes, name),
    storageClass: (name) => classes.get(name),
  };
}
