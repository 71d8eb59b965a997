// The paths of columns, scale and selectable fields, followed through a schema so that a path to nowhere is found when the
// kind is defined and not when a column stays empty.
import type { JSONSchemaProps } from "@kubewright/api";

/** A step of a path: a field, or any item of a list or entry of a map. */
type Step = { readonly field: string } | { readonly any: true };

const fieldStep = /^\.([A-Za-z_$][\w$-]*|\*)/;
const quotedStep = /^\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/;
const indexStep = /^\[\s*(?:\*|-?\d*(?::-?\d*){0,2}|\?\(.*?\))\s*\]/;

/** The steps of `.spec.ports[0].name` or `.status.conditions[?(@.type=="Ready")].status`; undefined when it is no path. */
function parsePath(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== "") {
    const match = fieldStep.exec(rest) ?? quotedStep.exec(rest) ?? indexStep.exec(rest);
    if (match === null) return undefined;
    const field = match[1] ?? match[2];
    steps.push(field === undefined || field === "*" ? { any: true } : { field: field });
    rest = rest.slice(match[0].length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The schema at a path, `unknown` where the schema is open, or `missing`. */
type PathTarget = JSONSchemaProps | "unknown" | "missing";

/** Follows a path from the root of an object. */
function followPath(root: JSONSchemaProps, steps: readonly Step[]): PathTarget {
  let current: PathTarget = root;
  for (const step of steps) {
    if (current === "unknown" || current === "missing") return current;
    current = "field" in step ? fieldOf(current, step.field) : itemOf(current);
  }
  return current;
}

function fieldOf(schema: JSONSchemaProps, field: string): PathTarget {
  const property = Object.hasOwn(schema.properties ?? {}, field) ? schema.properties?.[field] : undefined;
  if (property !== undefined) return property;
  const value = schema.additionalProperties;
  if (typeof value === "object") return value;
  return keepsUnknown(schema) ? "unknown" : "missing";
}

function itemOf(schema: JSONSchemaProps): PathTarget {
  const items = schema.items;
  if (items !== undefined && "type" in items) return items;
  if (typeof schema.additionalProperties === "object") return schema.additionalProperties;
  return keepsUnknown(schema) || schema.items !== undefined ? "unknown" : "missing";
}

function keepsUnknown(schema: JSONSchemaProps): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
}

/** The type of the field at a path; undefined when no such field can exist, `unknown` when the schema does not say. */
export function typeAtPath(root: JSONSchemaProps, path: string): string | undefined {
  const steps = parsePath(path);
  const target = steps === undefined ? "missing" : followPath(root, steps);
  if (target === "missing") return undefined;
  if (target === "unknown") return "unknown";
  if (target.type === "string" && target.format === "date-time") return "date";
  return target.type ?? "unknown";
}
