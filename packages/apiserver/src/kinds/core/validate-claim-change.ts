// What may change about a claim once it is made: it is bound to a volume once, and a bound one may grow.
import {
  compareQuantities,
  deepEqual,
  type FieldError,
  fieldError,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
} from "@kubewright/api";
import { immutable } from "../field-rules.js";
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
    ...(deepEqual(fixedPart(now, claim, before, moved), fixedPart(then, claim, before, moved))
      ? []
      : [fieldError.forbidden("spec", fixedText)]),
    ...sizeErrors(now, before),
    ...immutable(now.volumeMode, then.volumeMode, "volumeMode"),
    ...attributesClassErrors(now, then),
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

/** The spec without what this change may touch. */
function fixedPart(
  spec: PersistentVolumeClaimSpec,
  claim: Claim,
  before: Claim,
  movedFromAnnotation: boolean,
): unknown {
  const { volumeName, storageClassName, volumeAttributesClassName, resources, ...rest } = spec;
  const { storage, ...requests } = resources?.requests ?? {};
  const bound = claim.status?.phase === "Bound";
  const old = before.spec ?? {};
  const annotated = annotatedClass(before);
  const newClass = claim.spec?.storageClassName;
  const mayGetClass =
    movedFromAnnotation ||
    (newClass !== undefined &&
      old.storageClassName === undefined &&
      (annotated === undefined || annotated === newClass));
  const mayGetAttributes = bound && claim.spec?.volumeAttributesClassName !== undefined;
  return {
    ...rest,
    ...(old.volumeName ? { volumeName } : {}),
    ...(mayGetClass ? {} : { storageClassName }),
    ...(mayGetAttributes ? {} : { volumeAttributesClassName }),
    resources: {
      ...resources,
      requests: { ...requests, ...(bound || storage === undefined ? {} : { storage }) },
    },
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

function attributesClassErrors(
  now: PersistentVolumeClaimSpec,
  then: PersistentVolumeClaimSpec,
): FieldError[] {
  const name = now.volumeAttributesClassName;
  if (then.volumeAttributesClassName === undefined || name) return [];
  if (name === then.volumeAttributesClassName) return [];
  const what = name === undefined ? "nil" : "an empty string";
  const text = `update from non-nil value to ${what} is forbidden`;
  return [fieldError.forbidden("spec.volumeAttributesClassName", text)];
}
