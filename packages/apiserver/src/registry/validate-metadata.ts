// The rules for metadata that hold for every kind.
import {
  annotationBytes,
  type FieldError,
  fieldError,
  labelErrors,
  maxAnnotationBytes,
  type ObjectMeta,
  validateAnnotationKey,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubewright/api";
import type { Steps } from "@kubewright/api/steps";
import type { DraftObject } from "../request/draft.js";
import type { StoredObject } from "../storage/index.js";
import { errorsInParts, type FoundInParts, found, joined } from "./errors-in-parts.js";
import type { ResourceKind } from "./resource-kind.js";
import { validateManagedFields } from "./validate-field-managers.js";
import { finalizerErrors, standardFinalizerErrors, validateNoNewFinalizers } from "./validate-finalizers.js";
import { ownerErrors } from "./validate-owner-references.js";

/** Problems with the metadata of a new object. */
export function* metadataErrors(object: DraftObject, kind: ResourceKind): Steps<FieldError[]> {
  const { metadata } = object;
  const maps = mapErrors(metadata);
  const finalizers = finalizerErrors(metadata.finalizers);
  const common = commonErrors(metadata, kind, {
    maps: "next" in maps ? yield* maps : maps,
    finalizers: "next" in finalizers ? yield* finalizers : finalizers,
  });
  if (kind.strategy.leavesMetadata) return [...nameErrors(metadata, anyName), ...common];
  const standard = standardFinalizers(metadata, kind);
  return [...nameErrors(metadata, kind), ...common, ...("next" in standard ? yield* standard : standard)];
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
  const maps = yield* found(mapErrors(metadata));
  const finalizers = yield* found(finalizerErrors(metadata.finalizers));
  const common = commonErrors(metadata, kind, { maps, finalizers });
  const change = [...changeErrors(metadata, old.metadata, kind), ...maps];
  const generic = [...nameErrors(metadata, anyName), ...common, ...change];
  if (kind.strategy.leavesMetadata) return generic;
  const standard = yield* found(standardFinalizers(metadata, kind));
  const byKind = [...change, ...standard];
  if (!kind.strategy.repeatsMetadataChecks) return [...generic, ...byKind];
  return [...generic, ...byKind, ...nameErrors(metadata, kind), ...common, ...standard];
}

/** Only kinds of the core API know which finalizers without a path are Kubernetes' own. */
const standardFinalizers = ({ finalizers }: ObjectMeta, { custom, strategy }: ResourceKind): FoundInParts =>
  custom || strategy.allowsAnyFinalizer ? [] : standardFinalizerErrors(finalizers);

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
function commonErrors(
  metadata: ObjectMeta,
  kind: ResourceKind,
  { maps, finalizers }: { maps: readonly FieldError[]; finalizers: readonly FieldError[] },
): FieldError[] {
  const { generation = 0 } = metadata;
  return [
    ...namespaceErrors(metadata, kind),
    ...(generation < 0
      ? [fieldError.invalid("metadata.generation", generation, "must be greater than or equal to 0")]
      : []),
    ...maps,
    ...finalizers,
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

const mapErrors = ({ labels, annotations, ownerReferences }: ObjectMeta): FoundInParts =>
  joined(
    labels ? errorsOfLabels(labels) : [],
    annotations ? annotationErrors(annotations) : [],
    ownerErrors(ownerReferences),
  );

const errorsOfLabels = (labels: NonNullable<ObjectMeta["labels"]>): FoundInParts =>
  errorsInParts(Object.keys(labels), (keys) => labelErrors(labels, keys, "metadata.labels"));

/** How long all of them are together is known with the last. */
function annotationErrors(annotations: NonNullable<ObjectMeta["annotations"]>): FoundInParts {
  const field = "metadata.annotations";
  const all = Object.keys(annotations);
  let bytes = 0;
  return errorsInParts(all, (keys, from) => {
    const errors: FieldError[] = [];
    for (const key of keys) {
      bytes += annotationBytes(key, annotations[key] ?? "");
      for (const error of validateAnnotationKey(key, field)) errors.push(error);
    }
    const isLast = from + keys.length === all.length;
    if (isLast && bytes > maxAnnotationBytes) errors.push(fieldError.tooLong(field, maxAnnotationBytes));
    return errors;
  });
}
