// Strategies of custom resources: validation by their schema, and when metadata.generation changes.

import {
  type ApiError,
  deepEqual,
  type FieldError,
  fieldError,
  type GroupVersionKind,
} from "@kubewright/api";
import {
  bumpGeneration,
  type DraftObject,
  forbidden,
  invalid,
  keepField,
  keepMetadata,
  type StoredObject,
  type Strategy,
  type StrategyContext,
} from "@kubewright/kinds";

import { finalizerWarnings } from "./finalizer-warnings.js";
import { selectableFields } from "./selectable-fields.js";
import type { VersionSchema } from "./version-schema.js";

/** The CRD of the objects. */
interface ServedCrd {
  readonly plural: string;
  /** It is being deleted, with all its objects. */
  readonly isTerminating: boolean;
}

const cannotCreate = ({ group, plural }: { group: string; plural: string }, name = ""): ApiError =>
  forbidden(
    { group, resource: plural, name },
    "create not allowed while custom resource definition is terminating",
  );

/** For writes to the object itself; with a status subresource they leave status alone. */
export function customStrategy(
  version: VersionSchema,
  gvk: GroupVersionKind,
  { plural, isTerminating }: ServedCrd,
): Strategy {
  const hasStatus = version.version.subresources?.status !== undefined;
  return {
    hasGeneration: true,
    // An update must carry a resourceVersion.
    allowUnconditionalUpdate: false,
    ...(hasStatus ? { resetFields: ["status"] } : {}),
    ...selectableFields(version.version.selectableFields ?? []),
    begin(object, old) {
      if (!old && isTerminating) throw cannotCreate({ group: gvk.group, plural }, object.metadata.name);
      return undefined;
    },
    prepareForCreate(object) {
      if (hasStatus) delete object["status"];
    },
    prepareForUpdate(object, old) {
      if (hasStatus) keepField(object, old, "status");
      if (!deepEqual(content(object), content(old))) bumpGeneration(object, old);
    },
    validateCreate(object) {
      checkKind(object, gvk);
      return [...version.schema.validate(object)];
    },
    validateUpdate(object, old, context) {
      checkKind(object, gvk);
      return [...version.schema.validate(object, { old, onRatcheted: warnIn(context) })];
    },
    warnings: (object, old) => finalizerWarnings(object, old),
    // Status was absent while the object was checked; like everything that is read it has its defaults.
    ...(hasStatus ? { completeAsRead: (object) => completeStatus(object, version) } : {}),
  };
}

function completeStatus(object: DraftObject, { schema }: VersionSchema): boolean {
  const wasAbsent = object["status"] === undefined;
  schema.normalize(object, "storage");
  return wasAbsent && object["status"] !== undefined;
}

/** For writes through `/status`: only status changes, and generation does not. */
export function customStatusStrategy(version: VersionSchema): Strategy {
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    resetFields: ["metadata", "spec"],
    prepareForUpdate: takeOnlyStatus,
    validateUpdate: (object, old, context) => [
      ...version.schema.validate(object, { old, subresource: "status", onRatcheted: warnIn(context) }),
    ],
  };
}

/** Refuses an object of another kind before any other check. */
function checkKind({ kind, metadata }: DraftObject, gvk: GroupVersionKind): void {
  if (kind === gvk.kind) return;
  const error = fieldError.invalid("kind", kind, `must be ${gvk.kind}`);
  throw invalid({ group: gvk.group, kind }, metadata.name ?? "", [error]);
}

/** Errors in values that an update leaves unchanged (ratcheting) become warnings. */
const warnIn =
  ({ warnings }: StrategyContext) =>
  ({ field, message }: FieldError): void =>
    void warnings.push(`${field}: ${message}`);

function takeOnlyStatus(object: DraftObject, old: StoredObject): void {
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)]))
    if (field !== "status" && field !== "metadata") keepField(object, old, field);
  keepMetadata(object, old);
}

function content({ metadata: _metadata, ...rest }: DraftObject | StoredObject): unknown {
  return rest;
}
