// The rules for metadata that hold for every kind.
import {
  type FieldError,
  fieldError,
  type ObjectMeta,
  validateAnnotations,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabels,
  validatePathSegmentName,
} from "@kubewright/api";
import type { DraftObject } from "../request/draft.js";
import { mostErrors } from "../request/failures.js";
import type { Steps } from "../steps.js";
import type { StoredObject } from "../storage/index.js";
import type { ResourceKind } from "./resource-kind.js";
import { validateManagedFields } from "./validate-field-managers.js";
import {
  validateFinalizers,
  validateNoNewFinalizers,
  validateStandardFinalizers,
} from "./validate-finalizers.js";
import { validateOwnerReferences } from "./validate-owner-references.js";

/** Problems with the metadata of a new object. */
export function* metadataErrors(object: DraftObject, kind: ResourceKind): Steps<FieldError[]> {
  const { metadata } = object;
  const common = commonErrors(metadata, kind, yield* mapErrors(metadata));
  return [...nameErrors(metadata, kind), ...common, ...standardFinalizers(metadata, kind)];
}

/**
 * Problems with the metadata of a changed object: the rules above, and what may not change. The real server checks them
 * in its generic layer and again in the rules of each kind, and clients see a cause for each time.
 */
export function* metadataUpdateErrors(
  object: DraftObject,
  old: StoredObject,
  kind: ResourceKind,
): Steps<FieldError[]> {
  const { metadata } = object;
  const maps = yield* mapErrors(metadata);
  const common = commonErrors(metadata, kind, maps);
  const standard = standardFinalizers(metadata, kind);
  const change = [...changeErrors(metadata, old.metadata, kind), ...maps];
  const generic = [...nameErrors(metadata, anyName), ...common, ...change];
  const byKind = [...change, ...standard];
  if (!kind.strategy.repeatsMetadataChecks) return [...generic, ...byKind];
  return [...generic, ...byKind, ...nameErrors(metadata, kind), ...common, ...standard];
}

/** Only kinds of the core API know which finalizers without a path are Kubernetes' own. */
function standardFinalizers(metadata: ObjectMeta, { custom, strategy }: ResourceKind): FieldError[] {
  return custom || strategy.allowsAnyFinalizer ? [] : validateStandardFinalizers(metadata.finalizers);
}

/** What may never change. */
function changeErrors(metadata: ObjectMeta, before: ObjectMeta, kind: ResourceKind): FieldError[] {
  const immutable = (field: keyof ObjectMeta): FieldError[] =>
    metadata[field] === before[field]
      ? []
      : [fieldError.invalid(`metadata.${field}`, metadata[field] ?? "", "field is immutable")];
  return [
    ...validateNoNewFinalizers(metadata, before),
    ...immutable("name"),
    ...(kind.scope === "Namespaced" ? immutable("namespace") : []),
    ...immutable("uid"),
    ...immutable("deletionTimestamp"),
    ...immutable("deletionGracePeriodSeconds"),
  ];
}

/** For the generic checks every name will do that can stand in a path. */
const anyName: Pick<ResourceKind, "strategy"> = {
  strategy: { validateName: (name, prefix) => [...validatePathSegmentName(name, { prefix })] },
};

function nameErrors(metadata: ObjectMeta, { strategy }: Pick<ResourceKind, "strategy">): FieldError[] {
  const check =
    strategy.validateName ?? ((name: string, prefix: boolean) => validateDns1123Subdomain(name, { prefix }));
  const prefix = metadata.generateName ?? "";
  const errors = (prefix === "" ? [] : check(prefix, true)).map((text) =>
    fieldError.invalid("metadata.generateName", prefix, text),
  );
  if (!metadata.name)
    return [...errors, fieldError.required("metadata.name", "name or generateName is required")];
  const texts = check(metadata.name, false);
  return [...errors, ...texts.map((text) => fieldError.invalid("metadata.name", metadata.name, text))];
}

/** What holds for every object, new or changed. */
function commonErrors(metadata: ObjectMeta, kind: ResourceKind, maps: readonly FieldError[]): FieldError[] {
  const { generation = 0 } = metadata;
  return [
    ...namespaceErrors(metadata, kind),
    ...(generation < 0
      ? [fieldError.invalid("metadata.generation", generation, "must be greater than or equal to 0")]
      : []),
    ...maps,
    ...validateFinalizers(metadata.finalizers),
    ...validateManagedFields(metadata.managedFields),
  ];
}

function namespaceErrors({ namespace }: ObjectMeta, kind: ResourceKind): FieldError[] {
  if (kind.scope === "Cluster")
    return namespace ? [fieldError.forbidden("metadata.namespace", "not allowed on this type")] : [];
  if (!namespace) return [fieldError.required("metadata.namespace")];
  return validateDns1123Label(namespace).map((text) =>
    fieldError.invalid("metadata.namespace", namespace, text),
  );
}

function* mapErrors(metadata: ObjectMeta): Steps<FieldError[]> {
  return [
    ...(yield* labelErrors(metadata.labels)),
    ...validateAnnotations(metadata.annotations, "metadata.annotations"),
    ...validateOwnerReferences(metadata.ownerReferences),
  ];
}

/** So many labels take about a millisecond, whatever is wrong with them. */
const labelsPerStep = 200;

function* labelErrors(labels: ObjectMeta["labels"] = {}): Steps<FieldError[]> {
  const keys = Object.keys(labels);
  if (keys.length <= labelsPerStep) return validateLabels(labels, "metadata.labels");
  const errors: FieldError[] = [];
  for (let from = 0; from < keys.length && errors.length < mostErrors; from += labelsPerStep) {
    const some = keys.slice(from, from + labelsPerStep).map((key) => [key, labels[key] ?? ""]);
    errors.push(...validateLabels(Object.fromEntries(some), "metadata.labels"));
    yield;
  }
  return errors;
}
