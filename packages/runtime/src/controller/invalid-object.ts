// Objects that their own schema would refuse. They are there when a schema was tightened after they were stored, and code
// that relies on the schema fails on them in all kinds of ways. What is wrong is then the object, and is said of it.
import { ApiError, type FieldError, type KubeObject, TerminalError } from "@kubewright/api";
import type { AnyResource } from "./kinds.js";

/** The failure of a reconcile; of an object that is not valid, that it is not. Nothing helps then but a change to it. */
export function explained(error: unknown, resource: AnyResource, object: KubeObject): unknown {
  if (error instanceof TerminalError || error instanceof ApiError || !canValidate(resource)) return error;
  const problems = resource.validate(object);
  if (problems.length === 0) return error;
  const list = problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new TerminalError(`the object does not satisfy its schema any more: ${list}`, { cause: error });
}

function canValidate(
  resource: AnyResource,
): resource is AnyResource & { validate(object: unknown): readonly FieldError[] } {
  return "validate" in resource && typeof resource.validate === "function";
}
