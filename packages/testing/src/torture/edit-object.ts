// An edit by somebody else: of one field that the operator declares, so that the operator has to put it back.
import { isObject, type KubeObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";

/** The field manager of the people who interfere. */
export const somebody = "somebody";

/** Fields whose edit means something else than a change of the object. */
const notEdited = new Set(["f:ownerReferences", "f:finalizers", "f:status"]);

type Path = readonly (string | number)[];

/**
 * Changes one of the fields that `manager` applies; `choice` selects which one, and the next is tried where the server refuses. Returns the
 * path of the field; undefined where the object has none that could be changed.
 */
export async function editObject(
  client: Client,
  object: KubeObject,
  manager: string,
  choice: number,
): Promise<string | undefined> {
  const { apiVersion = "", kind = "", metadata } = object;
  const fields = appliedBy(object, manager).filter((path) => isScalar(valueAt(object, path)));
  if (fields.length === 0 || !metadata?.name) return undefined;
  const resource = await client.resource({ apiVersion, kind });
  for (let attempt = 0; attempt < Math.min(fields.length, 20); attempt++) {
    const path = fields[(choice + attempt) % fields.length] ?? [];
    const patch = {
      json: [{ op: "replace", path: pointerOf(path), value: edited(valueAt(object, path)) }],
    } as const;
    const options = { namespace: metadata.namespace, fieldManager: somebody };
    const isDone = await client.patch(resource, metadata.name, patch, options).then(
      () => true,
      () => false,
    );
    if (isDone) return path.join(".");
  }
  return undefined;
}

function edited(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${String(value)}-edited`;
}

/** What was created once and never applied is not looked after. */
function appliedBy(object: KubeObject, manager: string): readonly Path[] {
  const entries = object.metadata?.managedFields ?? [];
  return entries
    .filter((entry) => entry.manager === manager && entry.operation === "Apply")
    .flatMap(({ fieldsV1 }) => pathsIn(fieldsV1, object, []));
}

/** The paths of `fieldsV1`: `{"f:spec": {"f:ports": {"k:{\"port\":80}": {"f:port": {}}}}}`. */
function pathsIn(fields: unknown, value: unknown, path: Path): readonly Path[] {
  if (!isObject(fields)) return [];
  const keys = Object.keys(fields).filter((key) => key !== "." && !notEdited.has(key));
  if (keys.length === 0) return scalarsIn(value, path);
  return keys.flatMap((key) => {
    const step = stepOf(key, value);
    if (step === undefined) return [];
    const inner = (value as Readonly<Record<string | number, unknown>>)[step];
    return pathsIn(fields[key], inner, [...path, step]);
  });
}

/** The name of a field, or the index of an item of a list. */
function stepOf(key: string, value: unknown): string | number | undefined {
  const name = key.slice(2);
  if (key.startsWith("f:")) return isObject(value) && name in value ? name : undefined;
  if (!key.startsWith("k:") || !Array.isArray(value)) return undefined;
  const wanted: unknown = JSON.parse(name);
  const index = value.findIndex(
    (item) => isObject(item) && isObject(wanted) && Object.keys(wanted).every((each) => item[each] === wanted[each]),
  );
  return index < 0 ? undefined : index;
}

/** A value that is declared as a whole. */
function scalarsIn(value: unknown, path: Path): readonly Path[] {
  if (isScalar(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarsIn(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => scalarsIn(inner, [...path, key]));
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

const valueAt = (object: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, step) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[step],
    object,
  );

const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
