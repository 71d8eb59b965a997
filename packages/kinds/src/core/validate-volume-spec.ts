// Validates a PersistentVolumeSpec: of a PersistentVolume, or inline in a VolumeAttachment, which allows far less.
import {
  Amount,
  type FieldError,
  fieldError,
  type PersistentVolumeSpec,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOfIfSet } from "../field-rules.js";
import { validateAccessModes } from "./validate-access-modes.js";
import { notInline, type VolumePlace, validateVolumeSource } from "./validate-persistent-source.js";

const policies = ["Delete", "Recycle", "Retain"];

/** Problems with the spec of a volume, in the order the server looks for them. */
export function validateVolumeSpec(spec: PersistentVolumeSpec, place: VolumePlace): FieldError[] {
  const { field, isInline } = place;
  const modes = `${field}.accessModes`;
  return [
    ...(isInline ? inlineErrors(spec, field) : []),
    ...((spec.accessModes ?? []).length === 0 ? [fieldError.required(modes)] : []),
    ...validateAccessModes(spec.accessModes ?? [], modes),
    ...(isInline ? [] : capacityErrors(spec, `${field}.capacity`)),
    ...policyErrors(spec, place),
    ...validateVolumeSource(spec, place),
    ...classErrors(spec, place),
    ...modeErrors(spec, place),
    ...(isInline ? [] : attributesClassErrors(spec, field)),
  ];
}

const inlineErrors = (
  { claimRef, capacity = {}, csi }: PersistentVolumeSpec,
  field: string,
): FieldError[] => [
  ...(claimRef ? [fieldError.forbidden(`${field}.claimRef`, notInline)] : []),
  ...(Object.keys(capacity).length > 0 ? [fieldError.forbidden(`${field}.capacity`, notInline)] : []),
  ...(csi
    ? []
    : [fieldError.required(`${field}.csi`, "has to be specified in the context of inline volumes")]),
];

function policyErrors(
  { persistentVolumeReclaimPolicy: policy }: PersistentVolumeSpec,
  { field, isInline }: VolumePlace,
): FieldError[] {
  const at = `${field}.persistentVolumeReclaimPolicy`;
  if (!isInline) return oneOfIfSet(policy, policies, at);
  return policy && policy !== "Retain"
    ? [fieldError.forbidden(at, "may only be Retain in the context of inline volumes")]
    : [];
}

function classErrors(
  { storageClassName: name }: PersistentVolumeSpec,
  { field, isInline }: VolumePlace,
): FieldError[] {
  if (!name) return [];
  const at = `${field}.storageClassName`;
  return isInline
    ? [fieldError.forbidden(at, notInline)]
    : invalidBecause(validateDns1123Subdomain(name), name, at);
}

function modeErrors({ volumeMode }: PersistentVolumeSpec, { field, isInline }: VolumePlace): FieldError[] {
  const at = `${field}.volumeMode`;
  if (!isInline) return oneOfIfSet(volumeMode, ["Block", "Filesystem"], at);
  const text = "may not specify volumeMode other than Filesystem in the context of inline volumes";
  return volumeMode === undefined || volumeMode === "Filesystem" ? [] : [fieldError.forbidden(at, text)];
}

function attributesClassErrors(
  { csi, volumeAttributesClassName: name }: PersistentVolumeSpec,
  field: string,
): FieldError[] {
  if (name === undefined) return [];
  const at = `${field}.volumeAttributesClassName`;
  const text = "has to be specified when using volumeAttributesClassName";
  return [
    ...(name === ""
      ? [fieldError.required(at, "an empty string is disallowed")]
      : invalidBecause(validateDns1123Subdomain(name), name, at)),
    ...(csi ? [] : [fieldError.required(`${field}.csi`, text)]),
  ];
}

function capacityErrors({ capacity = {} }: PersistentVolumeSpec, field: string): FieldError[] {
  const names = Object.keys(capacity);
  return [
    ...(names.length === 0 ? [fieldError.required(field)] : []),
    ...(names.length === 1 && names[0] === "storage"
      ? []
      : [fieldError.notSupported(field, names.length === 0 ? null : capacity, ["storage"])]),
    ...checkEach(names, (name) => {
      const amount = Amount.parse(capacity[name] ?? 0);
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
