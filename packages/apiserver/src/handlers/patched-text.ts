// The object a refused patch would have left, as kube-apiserver prints it. What the patch did not come by stands as the
// type of the object has it, field by field; a container it went into is a map by then, and has its keys in order.

import { goJson, isObject, ownValue, setOwn } from "@kubewright/api";
import { protobufMessage, protobufMessageOf } from "@kubewright/api/type-info";
import { compareText, type JsonMap } from "@kubewright/machinery";
import type { ResourceKind } from "../registry/resource-kind.js";

const opaque = /\.(FieldsV1|RawExtension|JSON)$/;

/** JSON of a patched value, whose containers are those of `live` wherever the patch did not touch them. */
export function patchedText(value: unknown, live: unknown, kind: ResourceKind): string {
  const message = kind.custom ? undefined : protobufMessageOf(kind);
  return goJson(new Arrangement().of(value, live, message));
}

/** Puts the keys of a value into the order in which they are printed. */
class Arrangement {
  readonly #fields = new Map<string, ReadonlyMap<string, Field> | undefined>();

  /** `message` is that of the type of the value, or of the items of a list. */
  of(value: unknown, live: unknown, message: string | undefined): unknown {
    if (Array.isArray(value)) return this.#list(value, live, message);
    if (!isObject(value)) return value;
    // Values from the patch, and values without a type, stay as they were written.
    if (message?.match(opaque)) return value;
    const fields = this.#fieldsOf(message);
    const keys = isObject(live) ? orderOf(value, value === live ? fields : undefined) : Object.keys(value);
    const arranged: Record<string, unknown> = {};
    for (const key of keys) {
      const before = isObject(live) ? ownValue(live, key) : undefined;
      setOwn(arranged, key, this.#field(value[key], before, fields?.get(key)));
    }
    return arranged;
  }

  #list(list: readonly unknown[], live: unknown, message: string | undefined): readonly unknown[] {
    const before = new Set(Array.isArray(live) ? live : []);
    const arranged: unknown[] = [];
    for (const item of list) arranged.push(this.of(item, before.has(item) ? item : undefined, message));
    return arranged;
  }

  #field(value: unknown, live: unknown, field: Field | undefined): unknown {
    if (!field?.isMap || !isObject(value)) return this.of(value, live, field?.message);
    const keys = isObject(live) ? orderOf(value, undefined) : Object.keys(value);
    const arranged: Record<string, unknown> = {};
    for (const key of keys) {
      const before = isObject(live) ? ownValue(live, key) : undefined;
      setOwn(arranged, key, this.of(value[key], before, field.message));
    }
    return arranged;
  }

  #fieldsOf(message: string | undefined): ReadonlyMap<string, Field> | undefined {
    if (message === undefined) return undefined;
    if (!this.#fields.has(message)) this.#fields.set(message, fieldsOf(message));
    return this.#fields.get(message);
  }
}

interface Field {
  readonly message: string;
  readonly isMap: boolean;
}

/** Keys that are fields come as the type has them; all others by their bytes. */
function orderOf(value: JsonMap, fields: ReadonlyMap<string, Field> | undefined): readonly string[] {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  if (!fields) return keys.sort(compareText);
  const known = [...fields.keys()].filter((name) => ownValue(value, name) !== undefined);
  const others = keys.filter((key) => !fields.has(key));
  return [...known, ...others.sort(compareText)];
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
