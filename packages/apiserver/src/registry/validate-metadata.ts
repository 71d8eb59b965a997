// The rules for metadata that hold for every kind.
import {
  type FieldError,
  type ObjectMeta,
  validateAnnotations,
  validateDns1123Subdomain,
  validateLabels,
  validateQualifiedName,
} from "@kubewright/api";
import type { DraftObject } from "../request/draft.js";
import type { StoredObject } from "../storage/index.js";
import type { ResourceKind } from "./resource-kind.js";

/** Problems with the metadata of a new object. */
export function validateMetadata(object: DraftObject, kind: ResourceKind): FieldError[] {
  const { metadata } = object;
  return [...nameErrors(metadata, kind), ...namespaceErrors(metadata, kind), ...mapErrors(metadata)];
}

/** Problems with the metadata of a changed object: the rules above, and what may not change. */
export function validateMetadataUpdate(
  object: DraftObject,
  old: StoredObject,
  kind: ResourceKind,
): FieldError[] {
  const { metadata } = object;
  const before = old.metadata;
  const errors: FieldError[] = [];
  const immutable = (field: string, now: unknown, then: unknown): void => {
    if (now !== then) {
      const message = `Invalid value: ${JSON.stringify(now ?? "")}: field is immutable`;
      errors.push({ field: `metadata.${field}`, reason: "FieldValueInvalid", message });
    }
  };
  immutable("name", metadata.name, before.name);
  if (kind.scope === "Namespaced") immutable("namespace", metadata.namespace, before.namespace);
  immutable("uid", metadata.uid, before.uid);
  immutable("deletionTimestamp", metadata.deletionTimestamp, before.deletionTimestamp);
  immutable(
    "deletionGracePeriodSeconds",
    metadata.deletionGracePeriodSeconds,
    before.deletionGracePeriodSeconds,
  );
  errors.push(...newFinalizersAfterDeletion(metadata, before), ...mapErrors(metadata));
  // The real server checks metadata in its generic layer and again in nearly every kind's own rules: clients see two causes.
  return [...errors, ...errors];
}

function nameErrors(metadata: ObjectMeta, kind: ResourceKind): FieldError[] {
  const check =
    kind.strategy.validateName ??
    ((name: string, prefix: boolean) => validateDns1123Subdomain(name, { prefix }));
  if (metadata.generateName) {
    const texts = check(metadata.generateName, true);
    if (texts.length > 0)
      return texts.map((text) => invalidValue("metadata.generateName", metadata.generateName, text));
  }
  if (!metadata.name) {
    return [
      {
        field: "metadata.name",
        reason: "FieldValueRequired",
        message: "Required value: name or generateName is required",
      },
    ];
  }
  return check(metadata.name, false).map((text) => invalidValue("metadata.name", metadata.name, text));
}

function namespaceErrors(metadata: ObjectMeta, kind: ResourceKind): FieldError[] {
  if (kind.scope === "Cluster") {
    if (!metadata.namespace) return [];
    return [
      {
        field: "metadata.namespace",
        reason: "FieldValueForbidden",
        message: "Forbidden: not allowed on this type",
      },
    ];
  }
  if (metadata.namespace) return [];
  return [{ field: "metadata.namespace", reason: "FieldValueRequired", message: "Required value" }];
}

function mapErrors(metadata: ObjectMeta): FieldError[] {
  return [
    ...validateLabels(metadata.labels, "metadata.labels"),
    ...validateAnnotations(metadata.annotations, "metadata.annotations"),
    ...ownerReferenceErrors(metadata),
    ...finalizerErrors(metadata),
  ];
}

function ownerReferenceErrors({ ownerReferences = [] }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  ownerReferences.forEach((reference, index) => {
    for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
      if (reference[field]) continue;
      const path = `metadata.ownerReferences[${index}].${field === "apiVersion" ? "apiVersion" : field}`;
      errors.push(
        invalidValue(
          path,
          reference[field] ?? "",
          field === "apiVersion" ? "version must not be empty" : "must not be empty",
        ),
      );
    }
  });
  const controllers = ownerReferences.filter((reference) => reference.controller);
  if (controllers.length > 1) {
    const [first, second] = controllers;
    const text = `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`;
    errors.push({
      field: "metadata.ownerReferences",
      reason: "FieldValueInvalid",
      message: `Invalid value: ${text}`,
    });
  }
  return errors;
}

function finalizerErrors({ finalizers = [] }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) {
    for (const text of validateQualifiedName(finalizer))
      errors.push(invalidValue("metadata.finalizers", finalizer, text));
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const text = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push({
      field: "metadata.finalizers",
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(finalizers)}: ${text}`,
    });
  }
  return errors;
}

/** Once deletion has begun, finalizers may go but not come. */
function newFinalizersAfterDeletion(metadata: ObjectMeta, before: ObjectMeta): FieldError[] {
  if (before.deletionTimestamp === undefined) return [];
  const known = new Set(before.finalizers);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(", ")}}`;
  return [{ field: "metadata.finalizers", reason: "FieldValueForbidden", message }];
}

const invalidValue = (field: string, value: unknown, text: string): FieldError => ({
  field,
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value)}: ${text}`,
});
