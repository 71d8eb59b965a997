// Messages to JSON, by the tables of field numbers. Zero values are kept as the wire has them; normalising decides
// later what the server would print.
import { isObject, type ProtobufField, setOwn } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";
import { compactInteger } from "../json/exact-integer.js";
import { maxDepth } from "../json/json-inspection.js";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { ProtobufError } from "./protobuf-error.js";
import { schemaMessage, specialForm } from "./special-forms.js";
import { WireReader, wireType } from "./wire-reader.js";

type FieldsByNumber = ReadonlyMap<number, ProtobufField>;

const nothing = Buffer.alloc(0);

/** Follows from the generated table alone; built once per message. */
const fieldsByMessage = new WeakMap<readonly ProtobufField[], FieldsByNumber>();

/** Decodes one body. */
export class MessageDecoder {
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
      } else if (field.jsonName !== null) {
        const key = field.jsonName;
        if (field.mapKey !== undefined) {
          expect(type, wireType.bytes, field);
          this.#entry(reader.message(), field, childObject(target, key), depth);
        } else if (field.repeated) this.#item(reader, type, field, childList(target, key), depth);
        else if (isScalar(field.type)) target[key] = this.#scalar(reader, type, field);
        else target[key] = this.#message(reader, type, field, depth, target[key]);
      }
    }
  }

  /** A message as the JSON value it stands for. */
  message(reader: WireReader, name: string, depth: number, old?: MutableJson): MutableJson {
    const special = specialForm(name);
    if (special) {
      const schema = (inside: WireReader): MutableJson => this.message(inside, schemaMessage, depth + 1);
      return special.decode(reader, schema);
    }
    const target = isObject(old) ? old : {};
    this.decodeInto(reader, name, target, depth);
    return target;
  }

  #item(reader: WireReader, type: number, field: ProtobufField, list: MutableJson[], depth: number): void {
    if (!isScalar(field.type)) list.push(this.#message(reader, type, field, depth));
    else if (type === wireType.bytes && isPackable(field.type)) {
      const packed = reader.message();
      const itemType = field.type === "double" ? wireType.fixed64 : wireType.varint;
      while (!packed.done) list.push(this.#scalar(packed, itemType, field));
    } else list.push(this.#scalar(reader, type, field));
  }

  #entry(reader: WireReader, field: ProtobufField, map: MutableObject, depth: number): void {
    let key = "";
    let value: MutableJson | undefined;
    while (!reader.done) {
      const tag = reader.tag();
      if (tag === 10) key = reader.string();
      else if (tag >>> 3 !== 2) reader.skip(tag & 7);
      else if (isScalar(field.type)) value = this.#scalar(reader, tag & 7, field);
      else value = this.#message(reader, tag & 7, field, depth);
    }
    setOwn(map, key, value === undefined ? this.#absent(field, depth) : value);
  }

  /** The value of a map entry without one. */
  #absent(field: ProtobufField, depth: number): MutableJson {
    return isScalar(field.type) ? "" : this.message(new WireReader(nothing), field.type, depth + 1);
  }

  #message(
    reader: WireReader,
    type: number,
    field: ProtobufField,
    depth: number,
    old?: MutableJson,
  ): MutableJson {
    expect(type, wireType.bytes, field);
    return this.message(reader.message(), field.type, depth + 1, old);
  }

  #scalar(reader: WireReader, type: number, field: ProtobufField): MutableJson {
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
        return integer(reader);
      case "double":
        expect(type, wireType.fixed64, field);
        return finite(reader.double());
      default:
        throw new ProtobufError(`unknown type ${field.type}`);
    }
  }
}

function integer(reader: WireReader): number | bigint {
  const value = reader.integer();
  return Number.isSafeInteger(value) ? value : compactInteger(reader.exactInteger());
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
