// Controller revisions: the history of stateful and daemon sets, written once.
import { type ControllerRevision, type FieldError, fieldError } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable, notNegative } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";

function validate(object: DraftObject): FieldError[] {
  const { data, revision } = draftAs<ControllerRevision>(object);
  return [
    ...(data === undefined || data === null ? [fieldError.required("data", "data is mandatory")] : []),
    ...notNegative(revision, "revision"),
  ];
}

/** Controller revisions. */
export const controllerRevisions: BuiltInKind = {
  resource: "controllerrevisions.apps",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    validateCreate: validate,
    validateUpdate: (object, old) => [...validate(object), ...immutable(object["data"], old["data"], "data")],
  },
};
