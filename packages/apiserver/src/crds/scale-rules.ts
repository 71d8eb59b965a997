// What the scale of a custom resource asks of the fields it shows, whatever the schema says about them.
import { type CustomResourceSubresourceScale, type FieldError, fieldError } from "@kubewright/api";
import type { ResourceKind, Subresource } from "../registry/resource-kind.js";
import { scaleView, valueAt } from "../registry/scale-view.js";
import type { Strategy } from "../registry/strategy.js";

const maxInt32 = 2_147_483_647;

/** The subresource of a version that declares one. */
export function customScale(
  scale: CustomResourceSubresourceScale,
  kind: Pick<ResourceKind, "group" | "plural" | "scope"> & { readonly apiVersion: string },
): Subresource {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    name: "scale",
    verbs: ["get", "patch", "update"],
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    view: scaleView({
      ...kind,
      specReplicasPath,
      statusReplicasPath,
      selectorOf: (object) => {
        const selector = labelSelectorPath ? valueAt(object, labelSelectorPath) : undefined;
        return typeof selector === "string" ? selector : undefined;
      },
      validatesItself: true,
    }),
  };
}

/** The rules of a version with these checks added; those about the spec do not concern `/status`. */
export function withScaleRules(
  strategy: Strategy,
  scale: CustomResourceSubresourceScale,
  statusOnly = false,
): Strategy {
  const check = (object: unknown): FieldError[] => [
    ...(statusOnly ? [] : replicasErrors(object, scale.specReplicasPath)),
    ...replicasErrors(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? selectorErrors(object, scale.labelSelectorPath) : []),
  ];
  return {
    ...strategy,
    validateCreate: async (object, context) => [
      ...((await strategy.validateCreate?.(object, context)) ?? []),
      ...check(object),
    ],
    validateUpdate: async (object, old, context) => [
      ...((await strategy.validateUpdate?.(object, old, context)) ?? []),
      ...check(object),
    ],
  };
}

function replicasErrors(object: unknown, path: string): FieldError[] {
  const value = valueAt(object, path);
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value))
    return [fieldError.invalid(path, 0, accessError(path, value, "int64"))];
  if (value < 0) return [fieldError.invalid(path, value, "should be a non-negative integer")];
  if (value > maxInt32)
    return [fieldError.invalid(path, value, `should be less than or equal to ${maxInt32}`)];
  return [];
}

function selectorErrors(object: unknown, path: string): FieldError[] {
  const value = valueAt(object, path);
  if (value === undefined || typeof value === "string") return [];
  return [fieldError.invalid(path, "", accessError(path, value, "string"))];
}

const accessError = (path: string, value: unknown, expected: string): string =>
  `.${path.replace(/^\./, "")} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;

const goText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
