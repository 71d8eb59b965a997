// Validates updates of PersistentVolumeClaims: the spec is immutable, except that a bound claim may grow.
import {
  compareQuantities,
  deepEqual,
  type FieldError,
  fieldError,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
} from "@kubewright/api";
import { immutable } from "../field-rules.js";
import { diffOfJson } from "../json-diff.js";
import { internalClaimSpec } from "../pod/internal-value.js";
import { betaStorageClass } from "./storage-class-annotation.js";

type Claim = PersistentVolumeClaim;

const fixedText =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/** Problems with the difference of two claims. */
export function validateClaimChange(claim: Claim, before: Claim): FieldError[] {
  const now = claim.spec ?? {};
  const then = before.spec ?? {};
  const moved = movedFromAnnotation(claim, before);
  return [
    ...(moved ? [] : annotationErrors(claim, before)),
    ...fixedErrors(claim, before, moved),
    ...sizeErrors(now, before),
    ...immutable(now.volumeMode, then.volumeMode, "volumeMode"),
    ...attributesClassErrors(now, before),
  ];
}

const annotatedClass = ({ metadata }: Claim): string | undefined => metadata?.annotations?.[betaStorageClass];

/** A class that was named by the annotation may be named by the field instead. */
function movedFromAnnotation(claim: Claim, before: Claim): boolean {
  const old = annotatedClass(before);
  const now = annotatedClass(claim);
  return (
    old !== undefined &&
    before.spec?.storageClassName === undefined &&
    claim.spec?.storageClassName === old &&
    (now === undefined || now === old)
  );
}

function annotationErrors(claim: Claim, before: Claim): FieldError[] {
  const now = annotatedClass(claim) ?? "";
  return immutable(now, annotatedClass(before) ?? "", `metadata.annotations.${betaStorageClass}`);
}

/** Resets the mutable fields of the new spec to the old values; the rest must be equal. */
function fixedErrors(claim: Claim, before: Claim, moved: boolean): FieldError[] {
  const old = before.spec ?? {};
  const then = { ...old, volumeName: old.volumeName || claim.spec?.volumeName };
  const { storageClassName, ...rest } = undone(claim.spec ?? {}, claim.status?.phase === "Bound", old);
  const annotated = annotatedClass(before);
  const gotClass =
    storageClassName !== undefined &&
    old.storageClassName === undefined &&
    (annotated === undefined || annotated === storageClassName);
  const keepsClass = storageClassName !== undefined && !moved && !gotClass;
  const now = { ...rest, ...(keepsClass ? { storageClassName } : {}) };
  if (deepEqual(internalClaimSpec(now), internalClaimSpec(then))) return [];
  const difference = diffOfJson(internalClaimSpec(then), internalClaimSpec(now));
  return [fieldError.forbidden("spec", `${fixedText}\n${difference}`)];
}

/** A bound claim may grow and get other attributes. */
function undone(
  spec: PersistentVolumeClaimSpec,
  bound: boolean,
  old: PersistentVolumeClaimSpec,
): PersistentVolumeClaimSpec {
  if (!bound) return spec;
  const { volumeAttributesClassName: _changed, ...rest } = spec;
  const { requests } = rest.resources ?? {};
  return {
    ...rest,
    ...(requests
      ? { resources: { ...rest.resources, requests: { ...requests, storage: storageOf(old) } } }
      : {}),
    ...(old.volumeAttributesClassName === undefined
      ? {}
      : { volumeAttributesClassName: old.volumeAttributesClassName }),
  };
}

const storageOf = (spec: PersistentVolumeClaimSpec | undefined) =>
  spec?.resources?.requests?.["storage"] ?? "0";

/** An expansion that failed may be taken back, but not below what there is. */
function sizeErrors(spec: PersistentVolumeClaimSpec, before: Claim): FieldError[] {
  const size = storageOf(spec);
  const capacity = before.status?.capacity?.["storage"] ?? "0";
  if (compareQuantities(size, storageOf(before.spec)) >= 0 || compareQuantities(size, capacity) > 0)
    return [];
  const text = "field can not be less than status.capacity";
  return [fieldError.forbidden("spec.resources.requests.storage", text)];
}

/** A volumeAttributesClassName that is in effect cannot be removed, only replaced. */
function attributesClassErrors(now: PersistentVolumeClaimSpec, before: Claim): FieldError[] {
  const name = now.volumeAttributesClassName;
  const changed = name !== before.spec?.volumeAttributesClassName;
  if (!changed || name || before.status?.currentVolumeAttributesClassName === undefined) return [];
  const what = name === undefined ? "nil" : "empty string";
  const text = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [fieldError.forbidden("spec.volumeAttributesClassName", text)];
}
