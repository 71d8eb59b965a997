// Validation of the replica counts and the selector of a kind with a scale subresource, at the JSON paths of its CRD.
import {
  type CustomResourceSubresourceScale,
  type FieldError,
  fieldError,
  goType,
  ownValue,
} from "@kubewright/api";
import { isObject } from "./json-value.js";
import { isInt64 } from "./validation/json-type.js";

const maxReplicas = 2 ** 31 - 1;

/** The errors of the desired replicas of an object. */
export function scaleSpecErrors(
  object: unknown,
  scale: CustomResourceSubresourceScale | undefined,
): FieldError[] {
  return scale === undefined ? [] : replicasErrors(object, scale.specReplicasPath);
}

/** The errors of the observed replicas of an object, and with its selector. */
export function scaleStatusErrors(
  object: unknown,
  scale: CustomResourceSubresourceScale | undefined,
): FieldError[] {
  if (scale === undefined) return [];
  const { statusReplicasPath, labelSelectorPath } = scale;
  const errors = replicasErrors(object, statusReplicasPath);
  return labelSelectorPath ? [...errors, ...selectorErrors(object, labelSelectorPath)] : errors;
}

function replicasErrors(object: unknown, path: string): FieldError[] {
  const found = read(object, path);
  if ("problem" in found) return [fieldError.invalid(path, 0, found.problem)];
  const { value } = found;
  if (value === undefined) return [];
  if (!isInt64(value)) return [fieldError.invalid(path, 0, accessorError(path, value, "int64"))];
  if (value < 0) return [fieldError.invalid(path, value, "should be a non-negative integer")];
  if (value > maxReplicas)
    return [fieldError.invalid(path, value, `should be less than or equal to ${maxReplicas}`)];
  return [];
}

function selectorErrors(object: unknown, path: string): FieldError[] {
  const found = read(object, path);
  if ("problem" in found) return [fieldError.invalid(path, "", found.problem)];
  if (found.value === undefined || typeof found.value === "string") return [];
  return [fieldError.invalid(path, "", accessorError(path, found.value, "string"))];
}

/** The value at a path such as `.spec.replicas`; undefined when there is none. */
function read(object: unknown, path: string): { readonly value: unknown } | { readonly problem: string } {
  let value = object;
  for (const name of path.replace(/^\./, "").split(".")) {
    if (value === undefined) return { value };
    if (!isObject(value)) return { problem: accessorError(path, value, "map[string]interface {}") };
    value = ownValue(value, name);
  }
  return { value };
}

function accessorError(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${expected}`;
}

/** A value as `%v` prints it, cut off below eight levels. */
function goValue(value: unknown, depth = 0): string {
  if (value === null) return "<nil>";
  if (depth > 8) return "...";
  if (Array.isArray(value)) return `[${value.map((item) => goValue(item, depth + 1)).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.keys(value).sort();
  return `map[${entries.map((key) => `${key}:${goValue(value[key], depth + 1)}`).join(" ")}]`;
}
