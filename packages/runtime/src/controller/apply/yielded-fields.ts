// Fields that are set when a child is made and are then left to the field manager that changes them: the replicas of an autoscaled
// Deployment.
//
// Leaving such a field out of an apply is not enough. As long as no other manager has changed it, it is ours alone, and what is
// ours and no longer declared is removed, which would set replicas back to 1. So while it is ours, it is declared as it is.
import { isObject, type KubeObject } from "@kubewright/api";
import type { JsonRecord } from "./json-record.js";

/** The declared child with its yielded fields as they should be sent. `own` is what we own of the live child. */
export function yieldFields(
  declared: KubeObject,
  live: KubeObject,
  own: unknown,
  paths: readonly string[],
): KubeObject {
  let child = declared;
  for (const path of paths) {
    const names = path.split(".");
    child = replaced(child, names, ownsField(own, names) ? valueAt(live, names) : undefined);
  }
  return child;
}

function ownsField(fields: unknown, names: readonly string[]): boolean {
  const place = names.reduce<unknown>(
    (node, name) => (isObject(node) ? node[`f:${name}`] : undefined),
    fields,
  );
  return place !== undefined;
}

function valueAt(object: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (node, name) => (isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined),
    object,
  );
}

/** A copy of the record in which the place holds the value; undefined leaves it out. */
function replaced<T extends object>(record: T, [name = "", ...rest]: readonly string[], value: unknown): T {
  const { [name]: before, ...others } = record as JsonRecord;
  if (rest.length > 0) {
    const below = isObject(before) ? before : {};
    return { ...others, [name]: replaced(below, rest, value) } as T;
  }
  return (value === undefined ? others : { ...others, [name]: value }) as T;
}
