// Validates the source of a PersistentVolume. Drivers that were removed from Kubernetes are still checked, as in volumes of pods.
import { type FieldError, fieldError, type PersistentVolumeSpec, type Volume } from "@kubewright/api";
import { requiredLabel, requiredSubdomain, requiredText } from "../field-rules.js";
import { validateDiskSource } from "../pod/validate-disk-source.js";
import { validateNodeTerms } from "../pod/validate-node-selector.js";
import { validateNoBacksteps } from "../pod/validate-path.js";
import { validateFileSource } from "../pod/validate-volume-source.js";
import { validateCsiDriverName } from "./csi-driver-name.js";
import { validateNamespaces, validatePersistentTarget } from "./validate-persistent-disk.js";

/** In the order the server looks for them: the first counts, the others are too many. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

/** The sources that are set: there should be one. */
export const sourceOf = (spec: PersistentVolumeSpec): Readonly<Record<string, unknown>> =>
  Object.fromEntries(sources.filter((name) => spec[name]).map((name) => [name, spec[name]]));

/** Where the spec is, and whether the volume is no object of its own but part of another. */
export interface VolumePlace {
  readonly field: string;
  readonly isInline: boolean;
  /** The name of the volume, where it has one. */
  readonly name?: string | undefined;
}

/** Problems with the source, and with the nodes it can be reached from. */
export function validateVolumeSource(spec: PersistentVolumeSpec, place: VolumePlace): FieldError[] {
  const { field } = place;
  const named = sources.filter((name) => spec[name]);
  return [
    ...affinityErrors(spec, place),
    ...named.flatMap((name, index) =>
      index === 0 || name === "flexVolume"
        ? ownErrors({ [name]: spec[name] }, place)
        : [fieldError.forbidden(`${field}.${spelled(name)}`, "may not specify more than 1 volume type")],
    ),
    ...(named[0] === "local" && (place.isInline || !spec.nodeAffinity)
      ? [fieldError.required(`${field}.nodeAffinity`, "Local volume requires node affinity")]
      : []),
    ...(named.length === 0 ? [fieldError.required(field, "must specify a volume type")] : []),
    ...recycleErrors(spec, field),
  ];
}

/** The server spells one of them another way where it is one too many. */
const spelled = (name: string): string => (name === "cephfs" ? "cephFS" : name);

function affinityErrors(
  { nodeAffinity }: PersistentVolumeSpec,
  { field, isInline }: VolumePlace,
): FieldError[] {
  if (!nodeAffinity) return [];
  if (isInline) return [fieldError.forbidden(`${field}.nodeAffinity`, notInline)];
  const at = `${field}.nodeAffinity.required`;
  if (!nodeAffinity.required) return [fieldError.required(at, "must specify required node constraints")];
  return validateNodeTerms(nodeAffinity.required.nodeSelectorTerms ?? [], `${at}.nodeSelectorTerms`);
}

/** The message for fields that only PersistentVolumes may set. */
export const notInline = "may not be specified in the context of inline volumes";

function ownErrors(spec: PersistentVolumeSpec, { field, name }: VolumePlace): FieldError[] {
  const { csi, local, hostPath, iscsi } = spec;
  if (csi) return csiErrors(csi, `${field}.csi`);
  if (local) return localErrors(local, `${field}.local.path`);
  if (iscsi) return validatePersistentTarget(iscsi, name ?? "", `${field}.iscsi`);
  const volume: Volume = { name: "", ...spec } as Volume;
  if (hostPath) return validateFileSource(volume, false, field);
  return [...validateDiskSource(volume, field), ...validateNamespaces(spec, field)];
}

function csiErrors(csi: NonNullable<PersistentVolumeSpec["csi"]>, field: string): FieldError[] {
  const references = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const;
  return [
    ...validateCsiDriverName(csi.driver, `${field}.driver`),
    ...requiredText(csi.volumeHandle, `${field}.volumeHandle`),
    ...references.flatMap((name) =>
      csi[name]
        ? [
            ...requiredSubdomain(csi[name].name, `${field}.${name}.name`),
            ...requiredLabel(csi[name].namespace, `${field}.${name}.namespace`),
          ]
        : [],
    ),
  ];
}

function localErrors({ path }: NonNullable<PersistentVolumeSpec["local"]>, field: string): FieldError[] {
  return path === "" ? [fieldError.required(field)] : validateNoBacksteps(path, field);
}

function recycleErrors(
  { hostPath, persistentVolumeReclaimPolicy }: PersistentVolumeSpec,
  field: string,
): FieldError[] {
  if (hostPath === undefined || persistentVolumeReclaimPolicy !== "Recycle") return [];
  if (hostPath.path.replace(/\/+/g, "/") !== "/") return [];
  const text = "may not be 'recycle' for a hostPath mount of '/'";
  return [fieldError.forbidden(`${field}.persistentVolumeReclaimPolicy`, text)];
}
