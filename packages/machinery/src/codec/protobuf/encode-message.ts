// JSON to messages, as Go clients write them: plain fields always, pointers and collections when set. Used where this
// project plays the client; responses stay JSON.
import { isObject, type ProtobufField } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { ProtobufError } from "./protobuf-error.js";
import { schemaMessage, specialForm } from "./special-forms.js";
import { WireWriter } from "./wire-writer.js";

/** The bytes of a message that stands for a JSON value. */
export function encodeMessage(value: MutableJson, name: string): Buffer {
  const writer = new WireWriter();
  const special = specialForm(name);
  if (special) {
    if (value !== null) special.encode(value, writer, (schema) => encodeMessage(schema, schemaMessage));
    return writer.finish();
  }
  const fields = protobufMessage(name);
  if (!fields) throw new ProtobufError(`unknown message ${name}`);
  const object = isObject(value) ? value : {};
  for (const field of fields.toSorted((a, b) => a.number - b.number)) writeField(writer, field, object);
  return writer.finish();
}

function writeField(writer: WireWriter, field: ProtobufField, object: MutableObject): void {
  if (field.presence === "inline") {
    writer.bytes(field.number, encodeMessage(object, field.type));
    return;
  }
  const value = field.jsonName === null ? undefined : object[field.jsonName];
  if (field.mapKey !== undefined) {
    if (isObject(value))
      for (const key of Object.keys(value)) writeEntry(writer, field, key, value[key] ?? null);
  } else if (field.repeated) {
    if (Array.isArray(value)) for (const item of value) writeValue(writer, field.number, field.type, item);
  } else if (value !== undefined && value !== null) writeValue(writer, field.number, field.type, value);
  else if (field.presence.startsWith("value")) writeValue(writer, field.number, field.type, null);
}

function writeEntry(writer: WireWriter, field: ProtobufField, key: string, value: MutableJson): void {
  const entry = new WireWriter();
  entry.string(1, key);
  writeValue(entry, 2, field.type, value);
  writer.bytes(field.number, entry.finish());
}

function writeValue(writer: WireWriter, number: number, type: string, value: MutableJson): void {
  if (type === "string") writer.string(number, typeof value === "string" ? value : "");
  else if (type === "bytes")
    writer.bytes(number, Buffer.from(typeof value === "string" ? value : "", "base64"));
  else if (type === "bool") writer.integer(number, value === true ? 1 : 0);
  else if (type === "double") writer.double(number, typeof value === "number" ? value : 0);
  else if (type === "int32" || type === "int64")
    writer.integer(number, typeof value === "number" || typeof value === "bigint" ? value : 0);
  else writer.bytes(number, encodeMessage(value, type));
}
