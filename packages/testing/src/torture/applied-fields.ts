// The fields of an object that a field manager applies, by the object's managed fields.
import { isObject, type KubeObject } from "@kubewright/api";

/** From the root of the object: names of fields, and indexes of items. */
export type FieldPath = readonly (string | number)[];

/** Fields that say where an object belongs, and what the runtime keeps for itself. */
const notCounted = new Set(["f:ownerReferences", "f:finalizers", "f:status"]);

/** The paths of the scalars that `manager` applies. What was created once and never applied is not looked after: it has none. */
export function appliedFields(object: KubeObject, manager: string): readonly FieldPath[] {
  const entries = object.metadata?.managedFields ?? [];
  return entries
    .filter((entry) => entry.manager === manager && entry.operation === "Apply")
    .flatMap(({ fieldsV1 }) => pathsIn(fieldsV1, object, []))
    .filter((path) => isScalar(valueAt(object, path)));
}

/** The paths of `fieldsV1`: `{"f:spec": {"f:ports": {"k:{\"port\":80}": {"f:port": {}}}}}`. */
function pathsIn(
  fields: unknown,
  value: unknown,
  path: FieldPath,
  identifying: ReadonlySet<string> = new Set(),
): readonly FieldPath[] {
  if (!isObject(fields)) return [];
  const all = Object.keys(fields).filter((key) => key !== ".");
  if (all.length === 0) return scalarsIn(value, path);
  const keys = all.filter((key) => !notCounted.has(key) && !identifying.has(key));
  return keys.flatMap((key) => {
    const step = stepOf(key, value);
    if (step === undefined) return [];
    const inner = (value as Readonly<Record<string | number, unknown>>)[step];
    return pathsIn(fields[key], inner, [...path, step], identifyingIn(key));
  });
}

/** An item with another key is another item, which is somebody else's. */
function identifyingIn(key: string): ReadonlySet<string> {
  const wanted: unknown = key.startsWith("k:") ? JSON.parse(key.slice(2)) : {};
  return new Set(Object.keys(isObject(wanted) ? wanted : {}).map((name) => `f:${name}`));
}

/** The name of a field, or the index of an item of a list. */
function stepOf(key: string, value: unknown): string | number | undefined {
  const name = key.slice(2);
  if (key.startsWith("f:")) return isObject(value) && name in value ? name : undefined;
  if (!key.startsWith("k:") || !Array.isArray(value)) return undefined;
  const wanted: unknown = JSON.parse(name);
  const index = value.findIndex(
    (item) =>
      isObject(item) && isObject(wanted) && Object.keys(wanted).every((each) => item[each] === wanted[each]),
  );
  return index < 0 ? undefined : index;
}

/** A value that is declared as a whole. */
function scalarsIn(value: unknown, path: FieldPath): readonly FieldPath[] {
  if (isScalar(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarsIn(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => scalarsIn(inner, [...path, key]));
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

/** The value there; undefined where there is none. */
export const valueAt = (object: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>(
    (value, step) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[step],
    object,
  );
