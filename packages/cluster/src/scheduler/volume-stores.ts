// What is known of volumes, from the caches.
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import { classOf } from "../volumes/claim-facts.js";
import type { VolumeFacts } from "./state/volume-facts.js";

export interface VolumeStores {
  readonly claims: StoreReader<PersistentVolumeClaim>;
  readonly volumes: StoreReader<PersistentVolume>;
  readonly classes: StoreReader<StorageClass>;
}

export function volumeFacts({ claims, volumes, classes }: VolumeStores): VolumeFacts {
  volumes.addIndex("storageClass", byClass);
  return {
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    available: (name) => volumes.byIndex("storageClass", name),
    storageClass: (name) => classes.get(name),
  };
}

const byClass = (volume: PersistentVolume): readonly string[] => [classOf(volume)];
