// The object a refused patch would have left, as the real server prints it. What the patch did not come by stands as the
// type of the object has it, field by field; a container it went into is a map by then, and has its keys in order.
import { goJson } from "@kubewright/api";
import { protobufMessage, protobufMessageOf } from "@kubewright/api/facts";
import { compareText } from "../apply/go-format.js";
import { getOwn, isMap, type JsonMap } from "../apply/json-value.js";
import type { ResourceKind } from "../registry/resource-kind.js";

const opaque = /\.(FieldsV1|RawExtension|JSON)$/;

/** JSON of a patched value, whose containers are those of `live` wherever the patch did not touch them. */
export function patchedText(value: unknown, live: unknown, kind: ResourceKind): string {
  return goJson(arranged(value, live, kind.custom ? undefined : protobufMessageOf(kind)));
}

/** The value with its keys in the order in which they are printed. `message` is that of its type, or of the items of a list. */
function arranged(value: unknown, live: unknown, message: string | undefined): unknown {
  if (Array.isArray(value)) {
    const before = new Set(Array.isArray(live) ? live : []);
    return value.map((item) => arranged(item, before.has(item) ? item : undefined, message));
  }
  if (!isMap(value)) return value;
  // What the patch brought along, and what has no type, stands as it was written.
  if (message?.match(opaque)) return value;
  const fields = fieldsOf(message);
  const keys = isMap(live) ? orderOf(value, value === live ? fields : undefined) : Object.keys(value);
  const before = isMap(live) ? live : undefined;
  return Object.fromEntries(
    keys.map((key) => [key, arrangedField(value[key], getOwn(before, key), fields?.get(key))]),
  );
}

function arrangedField(value: unknown, live: unknown, field: Field | undefined): unknown {
  if (!field?.isMap || !isMap(value)) return arranged(value, live, field?.message);
  const before = isMap(live) ? live : undefined;
  const keys = before ? orderOf(value, undefined) : Object.keys(value);
  return Object.fromEntries(
    keys.map((key) => [key, arranged(value[key], getOwn(before, key), field.message)]),
  );
}

interface Field {
  readonly message: string;
  readonly isMap: boolean;
}

/** Keys that are fields come as the type has them; all others by their bytes. */
function orderOf(value: JsonMap, fields: ReadonlyMap<string, Field> | undefined): readonly string[] {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  if (!fields) return keys.sort(compareText);
  const known = [...fields.keys()].filter((name) => getOwn(value, name) !== undefined);
  return [...known, ...keys.filter((key) => !fields.has(key)).sort(compareText)];
}

/** The fields of a message in the order of its Go type, with those of inlined messages in their place. */
function fieldsOf(message: string | undefined): ReadonlyMap<string, Field> | undefined {
  const listed = message === undefined ? undefined : protobufMessage(message);
  if (!listed) return undefined;
  const fields = new Map<string, Field>();
  for (const { jsonName, type, mapKey } of listed) {
    if (jsonName !== null) fields.set(jsonName, { message: type, isMap: mapKey !== undefined });
    else for (const [name, field] of fieldsOf(type) ?? []) fields.set(name, field);
  }
  return fields;
}
