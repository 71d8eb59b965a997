// JSON to messages, as Go writes them: plain fields always, pointers and collections when set. How a field is written is
// decided once for each message, not for each object.
import { isObject, type ProtobufField } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";
import { ProtobufError } from "./protobuf-error.js";
import { schemaMessage, specialForm } from "./special-forms.js";
import type { WireWriter } from "./wire-writer.js";

type Fields = Readonly<Record<string, unknown>>;

/** Writes one value with its tag; what is absent is written as zero. */
type WriteValue = (writer: WireWriter, value: unknown) => void;

/** Writes the fields of the message that stands for a JSON value. Throws ProtobufError for an unknown message. */
export function writeMessage(writer: WireWriter, value: unknown, name: string): void {
  plans.of(name)(writer, value);
}

/** Functions that write messages, made from the tables when first needed. */
class MessagePlans {
  readonly #made = new Map<string, WriteValue>();

  of(name: string): WriteValue {
    const made = this.#made.get(name) ?? this.#make(name);
    this.#made.set(name, made);
    return made;
  }

  #make(name: string): WriteValue {
    const special = specialForm(name);
    if (special)
      return (writer, value) => {
        if (value !== null && value !== undefined) special.encode(value, writer, writeSchema);
      };
    const fields = protobufMessage(name);
    if (!fields) throw new ProtobufError(`unknown message ${name}`);
    let plan: readonly ((writer: WireWriter, object: Fields) => void)[] | undefined;
    return (writer, value) => {
      // Messages hold each other in cycles, so the fields wait for the first object.
      plan ??= fields.toSorted((a, b) => a.number - b.number).map(fieldWriter);
      const object = isObject(value) ? value : nothing;
      for (const write of plan) write(writer, object);
    };
  }
}

const plans = new MessagePlans();
const nothing: Fields = {};

function writeSchema(writer: WireWriter, value: unknown): void {
  writeMessage(writer, value, schemaMessage);
}

function fieldWriter(field: ProtobufField): (writer: WireWriter, object: Fields) => void {
  const { number, type, presence, jsonName, mapKey, repeated } = field;
  const write = valueWriter(number, type);
  if (presence === "inline") return write;
  if (jsonName === null)
    return presence.startsWith("value") ? (writer) => write(writer, null) : () => undefined;
  if (mapKey !== undefined) {
    const writeEntry = valueWriter(2, type);
    return (writer, object) => {
      const map = object[jsonName];
      if (isObject(map)) writeEntries(writer, number, map, writeEntry);
    };
  }
  if (repeated)
    return (writer, object) => {
      const items = object[jsonName];
      if (Array.isArray(items)) for (const item of items) write(writer, item);
    };
  if (presence.startsWith("value")) return (writer, object) => write(writer, object[jsonName]);
  return (writer, object) => {
    const value = object[jsonName];
    if (value !== undefined && value !== null) write(writer, value);
  };
}

/** Sorted by key: the same object is the same bytes. */
function writeEntries(writer: WireWriter, number: number, map: Fields, writeValue: WriteValue): void {
  for (const key of Object.keys(map).sort()) {
    const start = writer.begin(number);
    writer.string(1, key);
    writeValue(writer, map[key]);
    writer.end(start);
  }
}

function valueWriter(number: number, type: string): WriteValue {
  switch (type) {
    case "string":
      return (writer, value) => writer.string(number, typeof value === "string" ? value : "");
    case "bytes":
      return (writer, value) =>
        writer.bytes(number, Buffer.from(typeof value === "string" ? value : "", "base64"));
    case "bool":
      return (writer, value) => writer.integer(number, value === true ? 1 : 0);
    case "double":
      return (writer, value) => writer.double(number, typeof value === "number" ? value : 0);
    case "int32":
    case "int64":
      return (writer, value) =>
        writer.integer(number, typeof value === "number" || typeof value === "bigint" ? value : 0);
    default:
      return messageWriter(number, type);
  }
}

function messageWriter(number: number, type: string): WriteValue {
  const write = plans.of(type);
  return (writer, value) => {
    const start = writer.begin(number);
    write(writer, value);
    writer.end(start);
  };
}
