// Messages to JSON, by the tables of field numbers. Zero values are kept as the wire has them; normalising decides
// later what the server would print.
import type { ProtobufField } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/facts";
import { maxDepth } from "../json/json-inspection.js";
import { setOwn } from "../json/json-scanner.js";
import { isObject, type MutableJson, type MutableObject } from "../mutable-json.js";
import { ProtobufError } from "./protobuf-error.js";
import { schemaMessage, specialForm } from "./special-forms.js";
import { WireReader, wireType } from "./wire-reader.js";

type FieldsByNumber = ReadonlyMap<number, ProtobufField>;

const nothing = Buffer.alloc(0);

/** Follows from the generated table alone; built once per message. */
const fieldsByMessage = new WeakMap<readonly ProtobufField[], FieldsByNumber>();

/** Decodes one body; keeps what its integers said where a number would round them. */
export class MessageDecoder {
  readonly #literals = new Map<object, Map<string | number, string>>();

  get literals(): ReadonlyMap<object, ReadonlyMap<string | number, string>> | undefined {
    return this.#literals.size > 0 ? this.#literals : undefined;
  }

  /** Adds the fields of a message to an object. */
  decodeInto(reader: WireReader, name: string, target: MutableObject, depth: number): void {
    if (depth > maxDepth) throw new ProtobufError("exceeded max depth");
    const fields = fieldsOf(name);
    while (!reader.done) {
      const tag = reader.tag();
      const type = tag & 7;
      const field = fields.get(tag >>> 3);
      if (field === undefined) reader.skip(type);
      else if (field.presence === "inline") {
        expect(type, wireType.bytes, field);
        this.decodeInto(reader.message(), field.type, target, depth + 1);
      } else if (field.jsonName !== null) this.#field(reader, type, field, field.jsonName, target, depth);
    }
  }

  /** A message as the JSON value it stands for. */
  message(reader: WireReader, name: string, depth: number, old?: MutableJson): MutableJson {
    const special = specialForm(name);
    if (special) return special.decode(reader, (inside) => this.message(inside, schemaMessage, depth + 1));
    const target = isObject(old) ? old : {};
    this.decodeInto(reader, name, target, depth);
    return target;
  }

  #field(
    reader: WireReader,
    type: number,
    field: ProtobufField,
    key: string,
    target: MutableObject,
    depth: number,
  ): void {
    if (field.mapKey !== undefined) {
      expect(type, wireType.bytes, field);
      this.#entry(reader.message(), field, childObject(target, key), depth);
    } else if (field.repeated) this.#item(reader, type, field, childList(target, key), depth);
    else target[key] = this.#value(reader, type, field, target, key, depth);
  }

  #item(reader: WireReader, type: number, field: ProtobufField, list: MutableJson[], depth: number): void {
    if (type === wireType.bytes && isPackable(field.type)) {
      const packed = reader.message();
      const itemType = field.type === "double" ? wireType.fixed64 : wireType.varint;
      while (!packed.done) list.push(this.#value(packed, itemType, field, list, list.length, depth));
    } else list.push(this.#value(reader, type, field, list, list.length, depth));
  }

  #entry(reader: WireReader, field: ProtobufField, map: MutableObject, depth: number): void {
    let key = "";
    let value: MutableJson | undefined;
    while (!reader.done) {
      const tag = reader.tag();
      if (tag === 10) key = reader.string();
      else if (tag >>> 3 === 2) value = this.#value(reader, tag & 7, field, map, key, depth);
      else reader.skip(tag & 7);
    }
    setOwn(map, key, value === undefined ? this.#absent(field, depth) : value);
  }

  /** What an entry of a map holds that names no value. */
  #absent(field: ProtobufField, depth: number): MutableJson {
    return isScalar(field.type) ? "" : this.message(new WireReader(nothing), field.type, depth + 1);
  }

  #value(
    reader: WireReader,
    type: number,
    field: ProtobufField,
    holder: MutableObject | MutableJson[],
    key: string | number,
    depth: number,
  ): MutableJson {
    switch (field.type) {
      case "string":
        expect(type, wireType.bytes, field);
        return reader.string();
      case "bytes":
        expect(type, wireType.bytes, field);
        return reader.base64();
      case "bool":
        expect(type, wireType.varint, field);
        return reader.boolean();
      case "int32":
        expect(type, wireType.varint, field);
        return reader.int32();
      case "int64":
        expect(type, wireType.varint, field);
        return this.#integer(reader, holder, key);
      case "double":
        expect(type, wireType.fixed64, field);
        return finite(reader.double());
      default: {
        expect(type, wireType.bytes, field);
        const old = Array.isArray(holder) ? undefined : holder[key];
        return this.message(reader.message(), field.type, depth + 1, old);
      }
    }
  }

  #integer(reader: WireReader, holder: object, key: string | number): number {
    const value = reader.integer();
    if (!Number.isSafeInteger(value)) {
      const literal = String(reader.exactInteger());
      const known = this.#literals.get(holder);
      if (known) known.set(key, literal);
      else this.#literals.set(holder, new Map([[key, literal]]));
    }
    return value;
  }
}

function fieldsOf(name: string): FieldsByNumber {
  const fields = protobufMessage(name);
  if (!fields) throw new ProtobufError(`unknown message ${name}`);
  const known = fieldsByMessage.get(fields);
  if (known) return known;
  const byNumber = new Map(fields.map((field) => [field.number, field]));
  fieldsByMessage.set(fields, byNumber);
  return byNumber;
}

function expect(actual: number, expected: number, { jsonName, type }: ProtobufField): void {
  if (actual !== expected) {
    throw new ProtobufError(`proto: wrong wireType = ${actual} for field ${jsonName ?? type}`);
  }
}

function isScalar(type: string): boolean {
  return !type.includes(".");
}

function isPackable(type: string): boolean {
  return isScalar(type) && type !== "string" && type !== "bytes";
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ProtobufError(`json: unsupported value: ${value}`);
  return value;
}

function childObject(target: MutableObject, key: string): MutableObject {
  const old = target[key];
  if (isObject(old)) return old;
  const made: MutableObject = {};
  target[key] = made;
  return made;
}

function childList(target: MutableObject, key: string): MutableJson[] {
  const old = target[key];
  if (Array.isArray(old)) return old;
  const made: MutableJson[] = [];
  target[key] = made;
  return made;
}
