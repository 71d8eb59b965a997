// Decodes JSON as Go's encoding/json decodes it into a struct: unknown fields are dropped, empty values are not written back, a wrong type
// is an error. Only what the metadata of an object needs.
import { formatTime, ownValue, parseTime, setOwn } from "@kubewright/api";
import { isObject, type MutableJson, type MutableObject } from "../json-value.js";
import { isInt64, jsonTypeOf } from "../validation/json-type.js";

/** The type of a field. */
export type Shape = "string" | "int64" | "bool" | "time" | "any" | { readonly map: "string" } | ListShape;

interface ListShape {
  readonly list: "string" | StructShape;
}

/** The fields of a struct, by JSON name; those in `always` are written even when empty. */
export interface StructShape {
  readonly name: string;
  readonly fields: Readonly<Record<string, Shape>>;
  readonly always?: readonly string[] | undefined;
}

/** Decodes structs and collects the fields that were dropped. */
export class GoDecoder {
  readonly unknownFields: string[] = [];
  readonly #dropMalformed: boolean;

  /** `dropMalformed`: fields of a wrong type are dropped instead of being an error. */
  constructor(dropMalformed: boolean) {
    this.#dropMalformed = dropMalformed;
  }

  /** Decodes a struct. Throws a TypeError with Go's message when something has the wrong type. */
  struct(value: unknown, shape: StructShape, path: string): MutableObject {
    if (!isObject(value)) throw mismatch(value, `v1.${shape.name}`);
    const decoded: MutableObject = {};
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(shape.fields, key)) this.#field(decoded, key, value[key], shape, path);
      else if (value[key] !== undefined) this.unknownFields.push(`${path}.${key}`);
    }
    for (const key of shape.always ?? []) if (ownValue(decoded, key) === undefined) setOwn(decoded, key, "");
    return decoded;
  }

  #field(into: MutableObject, key: string, value: unknown, shape: StructShape, path: string): void {
    const fieldShape = shape.fields[key];
    if (fieldShape === undefined || value === null || value === undefined) return;
    try {
      const decoded = this.#value(value, fieldShape, `${shape.name}.${key}`, `${path}.${key}`);
      if (!isEmpty(decoded)) setOwn(into, key, decoded);
    } catch (error) {
      if (!this.#dropMalformed) throw error;
    }
  }

  #value(value: unknown, shape: Shape, field: string, path: string): MutableJson {
    if (typeof shape === "object")
      return "map" in shape ? stringMap(value, field) : this.#list(value, shape, field, path);
    switch (shape) {
      case "string":
        if (typeof value === "string") return value;
        throw mismatch(value, "string", field);
      case "bool":
        if (typeof value === "boolean") return value;
        throw mismatch(value, "bool", field);
      case "int64":
        if (isInt64(value)) return value;
        throw mismatch(value, "int64", field);
      case "time":
        if (typeof value === "string") return formatTime(parseTime(value));
        throw mismatch(value, "string", field);
      case "any":
        return isObject(value) ? value : {};
    }
  }

  #list(value: unknown, { list }: ListShape, field: string, path: string): MutableJson {
    if (!Array.isArray(value))
      throw mismatch(value, list === "string" ? "[]string" : `[]v1.${list.name}`, field);
    return value.map((item: unknown, index) => {
      if (list !== "string") return this.struct(item, list, `${path}[${index}]`);
      if (typeof item === "string") return item;
      throw mismatch(item, "string", field);
    });
  }
}

function stringMap(value: unknown, field: string): MutableObject {
  if (!isObject(value)) throw mismatch(value, "map[string]string", field);
  const map: MutableObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== "string") throw mismatch(item, "string", field);
    setOwn(map, key, item);
  }
  return map;
}

const isEmpty = (value: MutableJson): boolean =>
  value === "" ||
  value === 0 ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

function mismatch(value: unknown, goType: string, field?: string): TypeError {
  const { type } = jsonTypeOf(value);
  const actual = type === "boolean" ? "bool" : type === "integer" ? "number" : type;
  const place = field === undefined ? "Go value" : `Go struct field ${field}`;
  return new TypeError(`json: cannot unmarshal ${actual} into ${place} of type ${goType}`);
}
