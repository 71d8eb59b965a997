// The annotation `volume.beta.kubernetes.io/mount-options`, from before there was a field for mount options. Only some volume
// sources support it, and the others refuse it.
import { type FieldError, fieldError, type PersistentVolume } from "@kubewright/api";

const annotation = "volume.beta.kubernetes.io/mount-options";
const mountable = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

/** Problems with the annotation, where the source of the volume has no use for it. */
export function mountOptionErrors({ metadata, spec = {} }: PersistentVolume): FieldError[] {
  if (metadata?.annotations?.[annotation] === undefined || mountable.some((source) => spec[source]))
    return [];
  const text = "may not specify mount options for this volume type";
  return [fieldError.forbidden(`metadata.annotations.${annotation}`, text)];
}
