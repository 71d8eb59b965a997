// Volumes of a pod: names, exactly one source each, and the rules of that source.
import {
  type FieldError,
  fieldError,
  type Volume,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";
import { validateClaimTemplate } from "./validate-claim-template.js";
import { validateDiskSource } from "./validate-disk-source.js";
import type { Volumes } from "./validate-mounts.js";
import { validateProjectedVolume } from "./validate-projected-volume.js";
import { validateFileSource } from "./validate-volume-source.js";

/** In the order the server looks at them: the first one is checked, any other is one too many. */
const sources = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
] as const;
/** Where the server's own spelling of a second source differs from the field. */
const misspelled: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

/** The context of volumes in their pod. */
export interface VolumeScope {
  /** The pod's name; absent in templates. */
  readonly podName?: string | undefined;
  /** True in a pod, false in a template. */
  readonly isPod: boolean;
}

/** All volumes: the errors, and the valid ones by name, which mounts may refer to. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  scope: VolumeScope,
  field: string,
): { readonly errors: FieldError[]; readonly volumes: Volumes } {
  const valid = new Map<string, Volume>();
  const errors: FieldError[] = [];
  const created = new Set(
    scope.podName
      ? (volumes ?? []).filter(({ ephemeral }) => ephemeral).map(({ name }) => `${scope.podName}-${name}`)
      : [],
  );
  (volumes ?? []).forEach((volume, index) => {
    const at = `${field}[${index}]`;
    const own = [...sourceErrors(volume, scope, at), ...nameErrors(volume.name, valid, `${at}.name`)];
    if (own.length === 0) valid.set(volume.name, volume);
    errors.push(...own);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const text = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(fieldError.invalid(`${at}.persistentVolumeClaim.claimName`, claim, text));
    }
  });
  return { errors, volumes: valid };
}

function nameErrors(name: string, taken: Volumes, field: string): FieldError[] {
  const errors = name
    ? invalidBecause(validateDns1123Label(name), name, field)
    : [fieldError.required(field)];
  return taken.has(name) ? [...errors, fieldError.duplicate(field, name)] : errors;
}

function sourceErrors(volume: Volume, scope: VolumeScope, field: string): FieldError[] {
  const present = sources.filter((source) => volume[source] !== undefined && volume[source] !== null);
  if (present.length === 0) return [fieldError.required(field, "must specify a volume type")];
  const [first, ...others] = present;
  return [
    ...(first ? ownErrors(volume, first, scope, field) : []),
    ...others.map((source) =>
      fieldError.forbidden(
        `${field}.${misspelled[source] ?? source}`,
        "may not specify more than 1 volume type",
      ),
    ),
  ];
}

function ownErrors(
  volume: Volume,
  source: (typeof sources)[number],
  scope: VolumeScope,
  field: string,
): FieldError[] {
  if (source === "projected" && volume.projected)
    return validateProjectedVolume(volume.projected, `${field}.projected`);
  if (source === "ephemeral") return ephemeralErrors(volume, scope, field);
  const alone: Volume = { name: volume.name, [source]: volume[source] };
  return [...validateFileSource(alone, scope.isPod, field), ...validateDiskSource(alone, field)];
}

/** The claim such a volume makes is named after the pod and the volume. */
function ephemeralErrors({ name, ephemeral }: Volume, { podName }: VolumeScope, field: string): FieldError[] {
  const template = ephemeral?.volumeClaimTemplate;
  const at = `${field}.ephemeral.volumeClaimTemplate`;
  const errors = template ? validateClaimTemplate(template, at) : [fieldError.required(at)];
  if (!podName || !name) return errors;
  const claim = `${podName}-${name}`;
  const texts = validateDns1123Subdomain(claim).map((text) => `PVC name "${claim}": ${text}`);
  return [...errors, ...invalidBecause(texts, name, `${field}.name`)];
}
