// Finds volumes by class and by the claim they name, however many there are.
import type { PersistentVolume, PersistentVolumeClaim } from "@kubewright/api";
import { keyOf, objectKey, type StoreReader } from "@kubewright/runtime";
import { classOf } from "./claim-binding.js";

/** Makes the lookups of this module possible; again changes nothing. */
export function indexVolumes(volumes: StoreReader<PersistentVolume>): void {
  volumes.addIndex("storageClass", byClass);
  volumes.addIndex("claimRef", byClaimRef);
}

/** The volumes of a class. */
export function volumesOfClass(volumes: StoreReader<PersistentVolume>, name: string): PersistentVolume[] {
  return volumes.byIndex("storageClass", name);
}

/** Volumes that may suit a claim: those that name it, and those of its class. */
export function candidatesFor(
  volumes: StoreReader<PersistentVolume>,
  claim: PersistentVolumeClaim,
): PersistentVolume[] {
  return [...volumes.byIndex("claimRef", objectKey(claim)), ...volumesOfClass(volumes, classOf(claim))];
}

const byClass = (volume: PersistentVolume): readonly string[] => [classOf(volume)];
const byClaimRef = ({ spec }: PersistentVolume): readonly string[] =>
  spec?.claimRef?.name ? [keyOf(spec.claimRef.name, spec.claimRef.namespace)] : [];
