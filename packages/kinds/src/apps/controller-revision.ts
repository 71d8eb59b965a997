// Controller revisions: the history of stateful and daemon sets, written once.
import { type ControllerRevision, type FieldError, fieldError, isObject } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable, notNegative } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";

const revisionErrors = (object: DraftObject): FieldError[] =>
  notNegative(draftAs<ControllerRevision>(object).revision, "revision");

function dataErrors(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [fieldError.required("data", "data is mandatory")];
  return isObject(data) ? [] : [fieldError.required("data", "data must be a valid JSON object")];
}

/** Controller revisions. */
export const controllerRevisions: BuiltInKind = {
  resource: "controllerrevisions.apps",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    validateCreate: (object) => [...revisionErrors(object), ...dataErrors(object["data"])],
    validateUpdate: (object, old) => [
      ...revisionErrors(object),
      ...immutable(object["data"], old["data"], "data"),
    ],
  },
};
