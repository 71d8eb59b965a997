// The rules for metadata that hold for every kind.

import {
  type FieldError,
  fieldError,
  type ObjectMeta,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubewright/api";
import {
  annotationErrors,
  type DraftObject,
  finalizerErrors,
  labelErrors,
  type StoredObject,
  type Strategy,
  standardFinalizerErrors,
  validateNoNewFinalizers,
} from "@kubewright/kinds";

import type { ResourceKind } from "./resource-kind.js";
import { validateManagedFields } from "./validate-field-managers.js";
import { ownerErrors } from "./validate-owner-references.js";

/** Problems with the metadata of a new object. */
export function metadataErrors(object: DraftObject, kind: ResourceKind): FieldError[] {
  const { metadata } = object;
  const common = commonErrors(metadata, kind, mapErrors(metadata));
  if (kind.strategy.metadata?.validator === "none") return [...nameErrors(metadata, anyName), ...common];
  return [...nameErrors(metadata, kind), ...common, ...standardFinalizers(metadata, kind)];
}

/**
 * Problems with the metadata of a changed object: the rules above, and what may not change. kube-apiserver checks them
 * in its generic layer and again in the rules of each kind, or of the subresource that is written (`strategy`), and clients
 * see a cause for each time.
 */
export function metadataUpdateErrors(
  object: DraftObject,
  old: StoredObject,
  kind: ResourceKind,
  strategy: Strategy = kind.strategy,
): FieldError[] {
  const { metadata } = object;
  const maps = mapErrors(metadata);
  const common = commonErrors(metadata, kind, maps);
  const change = [...changeErrors(metadata, old.metadata, kind), ...maps];
  const generic = [...nameErrors(metadata, anyName), ...common, ...change];
  if (kind.strategy.metadata?.validator === "none") return generic;
  const standard = standardFinalizers(metadata, kind);
  const { onUpdate = ["update"] } = strategy.metadata ?? {};
  const ofKind = onUpdate.flatMap((check) =>
    check === "update" ? [...change, ...standard] : [...nameErrors(metadata, kind), ...common, ...standard],
  );
  return [...generic, ...ofKind];
}

/** Only kinds of the core API know which finalizers without a path are Kubernetes' own. */
const standardFinalizers = ({ finalizers }: ObjectMeta, { custom, strategy }: ResourceKind): FieldError[] =>
  custom || strategy.metadata?.validator === "apimachinery" ? [] : standardFinalizerErrors(finalizers);

/** The errors of changes to immutable metadata. */
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
  const isUnchecked = prefix === "" || strategy.metadata?.uncheckedPrefix;
  const errors = (isUnchecked ? [] : check(prefix, true)).map((text) =>
    fieldError.invalid("metadata.generateName", prefix, text),
  );
  if (!metadata.name)
    return [...errors, fieldError.required("metadata.name", "name or generateName is required")];
  const texts = check(metadata.name, false);
  return [...errors, ...texts.map((text) => fieldError.invalid("metadata.name", metadata.name, text))];
}

/** The errors of metadata on create and on update. */
function commonErrors(metadata: ObjectMeta, kind: ResourceKind, maps: readonly FieldError[]): FieldError[] {
  const { generation = 0 } = metadata;
  return [
    ...namespaceErrors(metadata, kind),
    ...(generation < 0
      ? [fieldError.invalid("metadata.generation", generation, "must be greater than or equal to 0")]
      : []),
    ...maps,
    ...finalizerErrors(metadata.finalizers),
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

const mapErrors = ({ labels, annotations, ownerReferences }: ObjectMeta): FieldError[] => [
  ...labelErrors(labels, "metadata.labels"),
  ...annotationErrors(annotations, "metadata.annotations"),
  ...ownerErrors(ownerReferences),
];
