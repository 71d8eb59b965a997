// Where the storage of a PersistentVolume is. Drivers that left Kubernetes are still checked, as volumes of pods are.
import { type FieldError, fieldError, type PersistentVolumeSpec, type Volume } from "@kubewright/api";
import { requiredLabel, requiredSubdomain, requiredText } from "../field-rules.js";
import { validateDiskSource } from "../pod/validate-disk-source.js";
import { validateNodeTerms } from "../pod/validate-node-selector.js";
import { validateNoBacksteps } from "../pod/validate-path.js";
import { validateFileSource } from "../pod/validate-volume-source.js";
import { validateCsiDriverName } from "./csi-driver-name.js";

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

/** Problems with the source, and with the nodes it can be reached from. */
export function validateVolumeSource(spec: PersistentVolumeSpec): FieldError[] {
  const [first, ...more] = Object.keys(sourceOf(spec));
  return [
    ...affinityErrors(spec),
    ...(first === undefined ? [fieldError.required("spec", "must specify a volume type")] : ownErrors(spec)),
    ...more.map((name) => fieldError.forbidden(`spec.${name}`, "may not specify more than 1 volume type")),
    ...recycleErrors(spec),
  ];
}

function affinityErrors({ nodeAffinity, local }: PersistentVolumeSpec): FieldError[] {
  if (!nodeAffinity)
    return local ? [fieldError.required("spec.nodeAffinity", "Local volume requires node affinity")] : [];
  const field = "spec.nodeAffinity.required";
  if (!nodeAffinity.required) return [fieldError.required(field, "must specify required node constraints")];
  return validateNodeTerms(nodeAffinity.required.nodeSelectorTerms ?? [], `${field}.nodeSelectorTerms`);
}

function ownErrors(spec: PersistentVolumeSpec): FieldError[] {
  const { csi, local, hostPath } = spec;
  if (csi) return csiErrors(csi);
  if (local) return localErrors(local);
  const volume: Volume = { name: "", ...spec } as Volume;
  return hostPath ? validateFileSource(volume, false, "spec") : validateDiskSource(volume, "spec");
}

function csiErrors(csi: NonNullable<PersistentVolumeSpec["csi"]>): FieldError[] {
  const references = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const;
  return [
    ...validateCsiDriverName(csi.driver, "spec.csi.driver"),
    ...requiredText(csi.volumeHandle, "spec.csi.volumeHandle"),
    ...references.flatMap((name) =>
      csi[name]
        ? [
            ...requiredSubdomain(csi[name].name, `spec.csi.${name}.name`),
            ...requiredLabel(csi[name].namespace, `spec.csi.${name}.namespace`),
          ]
        : [],
    ),
  ];
}

function localErrors({ path }: NonNullable<PersistentVolumeSpec["local"]>): FieldError[] {
  const field = "spec.local.path";
  return path === "" ? [fieldError.required(field)] : validateNoBacksteps(path, field);
}

function recycleErrors({ hostPath, persistentVolumeReclaimPolicy }: PersistentVolumeSpec): FieldError[] {
  if (hostPath === undefined || persistentVolumeReclaimPolicy !== "Recycle") return [];
  if (hostPath.path.replace(/\/+/g, "/") !== "/") return [];
  const text = "may not be 'recycle' for a hostPath mount of '/'";
  return [fieldError.forbidden("spec.persistentVolumeReclaimPolicy", text)];
}
