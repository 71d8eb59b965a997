// PersistentVolumes: a piece of storage from exactly one source, which never changes.
import {
  Amount,
  type FieldError,
  fieldError,
  formatTime,
  type PersistentVolume,
  type PersistentVolumeSpec,
  validateDns1123Subdomain,
} from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { draftAs, storedAs } from "../as-kind.js";
import { nodeTermWarnings } from "../deprecated-node-labels.js";
import { oneOfIfSet, problems } from "../field-rules.js";
import { roundResources } from "../pod/default-container.js";
import { defaultDisk } from "../pod/default-disk.js";
import { storageClassWarnings } from "./storage-class-annotation.js";
import { validateAccessModes } from "./validate-access-modes.js";
import { validateVolumeSource } from "./validate-persistent-source.js";
import { validateVolumeChange } from "./validate-volume-change.js";

export const persistentVolumes: NativeKind = {
  resource: "persistentvolumes",
  strategy: {
    hasGeneration: false,
    returnsDeleted: true,
    applyDefaults(object) {
      const volume = draftAs<PersistentVolume>(object);
      volume.spec ??= {};
      volume.spec.persistentVolumeReclaimPolicy ??= "Retain";
      volume.spec.volumeMode ??= "Filesystem";
      defaultDisk(volume.spec);
      roundResources(volume.spec.capacity);
      volume.status = { ...volume.status, phase: volume.status?.phase ?? "Pending" };
    },
    prepareForCreate(object, { services }) {
      draftAs<PersistentVolume>(object).status = {
        phase: "Pending",
        lastPhaseTransitionTime: formatTime(services.clock.now()),
      };
    },
    validateCreate: (object) => validateVolume(draftAs<PersistentVolume>(object)),
    validateUpdate(object, old) {
      const volume = draftAs<PersistentVolume>(object);
      const errors = validateVolume(volume);
      return [...errors, ...errors, ...validateVolumeChange(volume, storedAs<PersistentVolume>(old))];
    },
    warnings: (object) => volumeWarnings(draftAs<PersistentVolume>(object)),
  },
  status: {
    prepareForUpdate(object, old, { services }) {
      const { status } = draftAs<PersistentVolume>(object);
      const before = storedAs<PersistentVolume>(old).status;
      const untouched = status?.lastPhaseTransitionTime === before?.lastPhaseTransitionTime;
      if (status && status.phase !== before?.phase && (untouched || !status.lastPhaseTransitionTime))
        status.lastPhaseTransitionTime = formatTime(services.clock.now());
    },
  },
};

function validateVolume({ spec = {} }: PersistentVolume): FieldError[] {
  const { persistentVolumeReclaimPolicy, storageClassName, volumeMode, volumeAttributesClassName } = spec;
  const policies = ["Delete", "Recycle", "Retain"];
  return [
    ...((spec.accessModes ?? []).length === 0 ? [fieldError.required("spec.accessModes")] : []),
    ...validateAccessModes(spec.accessModes ?? [], "spec.accessModes"),
    ...capacityErrors(spec),
    ...oneOfIfSet(persistentVolumeReclaimPolicy, policies, "spec.persistentVolumeReclaimPolicy"),
    ...validateVolumeSource(spec),
    ...(storageClassName
      ? problems(validateDns1123Subdomain(storageClassName), storageClassName, "spec.storageClassName")
      : []),
    ...oneOfIfSet(volumeMode, ["Block", "Filesystem"], "spec.volumeMode"),
    ...(volumeAttributesClassName === undefined
      ? []
      : attributesClassErrors(volumeAttributesClassName, spec)),
  ];
}

function attributesClassErrors(name: string, { csi }: PersistentVolumeSpec): FieldError[] {
  const field = "spec.volumeAttributesClassName";
  const text = "has to be specified when using volumeAttributesClassName";
  return [
    ...(name === ""
      ? [fieldError.required(field, "an empty string is disallowed")]
      : problems(validateDns1123Subdomain(name), name, field)),
    ...(csi ? [] : [fieldError.required("spec.csi", text)]),
  ];
}

/** Sources whose drivers have left, with the field as the warning spells it. */
const leftSources = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

function volumeWarnings({ metadata, spec = {} }: PersistentVolume): string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const recycled =
    spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : [];
  return [
    ...storageClassWarnings(metadata),
    ...recycled,
    ...terms.flatMap((term, index) =>
      nodeTermWarnings(term, false, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`),
    ),
    ...leftSources.filter(([source]) => spec[source]).map(([, name, text]) => `spec.${name}: ${text}`),
  ];
}

function capacityErrors({ capacity = {} }: PersistentVolumeSpec): FieldError[] {
  const names = Object.keys(capacity);
  const field = "spec.capacity";
  return [
    ...(names.length === 0 ? [fieldError.required(field)] : []),
    ...(names.length === 1 && names[0] === "storage"
      ? []
      : [fieldError.notSupported(field, names.length === 0 ? null : capacity, ["storage"])]),
    ...Object.entries(capacity).flatMap(([name, quantity]) => {
      const amount = Amount.parse(quantity);
      const at = `${field}[${name}]`;
      return [
        ...(amount.value() < 0n
          ? [fieldError.invalid(at, Number(amount.value()), "must be a valid resource quantity")]
          : []),
        ...(amount.sign() > 0
          ? []
          : [fieldError.invalid(at, amount.toString(), "must be greater than zero")]),
      ];
    }),
  ];
}
