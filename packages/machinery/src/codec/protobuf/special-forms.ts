// Messages whose JSON is not an object of their fields, both ways.
import {
  formatMicroTime,
  formatTime,
  isObject,
  parseMicroTime,
  parseTime,
  stringifyJson,
} from "@kubewright/api";
import { JsonSyntaxError } from "../json/json-syntax-error.js";
import { parseJson } from "../json/parse-json.js";
import type { MutableJson } from "../mutable-json.js";
import { ProtobufError } from "./protobuf-error.js";
import { WireReader, wireType } from "./wire-reader.js";
import type { WireWriter } from "./wire-writer.js";

/** Reads and writes one such message. `schema` does the same for the JSONSchemaProps inside. */
export interface SpecialForm {
  decode(reader: WireReader, schema: (reader: WireReader) => MutableJson): MutableJson;
  encode(value: unknown, writer: WireWriter, schema: WriteSchema): void;
}

/** Writes the fields of a JSONSchemaProps. */
type WriteSchema = (writer: WireWriter, value: unknown) => void;

const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
const apiextensions = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1";

/** The message that the forms of apiextensions hold. */
export const schemaMessage = `${apiextensions}.JSONSchemaProps`;

/** Seconds of the years 0 to 9999, which is what can be written. */
const minSeconds = -62_167_219_200;
const maxSeconds = 253_402_300_799;

const time = (format: (milliseconds: number) => string, parse: (text: string) => number): SpecialForm => ({
  decode(reader) {
    const pieces = readPieces(reader);
    const seconds = pieces.get(1)?.integer ?? 0;
    const nanos = pieces.get(2)?.integer ?? 0;
    if (seconds === 0 && nanos === 0) return null;
    if (seconds < minSeconds || seconds > maxSeconds || nanos < 0 || nanos > 999_999_999) {
      throw new ProtobufError("time out of range");
    }
    return format(seconds * 1000 + Math.floor(nanos / 1000) / 1000);
  },
  encode(value, writer) {
    const milliseconds = parse(String(value));
    const seconds = Math.floor(milliseconds / 1000);
    writer.integer(1, seconds);
    writer.integer(2, Math.round((milliseconds - seconds * 1000) * 1000) * 1000);
  },
});

const quantity: SpecialForm = {
  decode: (reader) => readPieces(reader).get(1)?.bytes.toString("utf8") ?? "0",
  encode: (value, writer) => writer.string(1, String(value)),
};

const intOrString: SpecialForm = {
  decode(reader) {
    const pieces = readPieces(reader);
    if (pieces.get(1)?.integer === 1) return pieces.get(3)?.bytes.toString("utf8") ?? "";
    return (pieces.get(2)?.integer ?? 0) | 0;
  },
  encode(value, writer) {
    writer.integer(1, typeof value === "string" ? 1 : 0);
    writer.integer(2, typeof value === "number" ? value : 0);
    writer.string(3, typeof value === "string" ? value : "");
  },
};

const rawJson: SpecialForm = {
  decode: (reader) => embeddedJson(readPieces(reader).get(1)?.bytes),
  encode: (value, writer) => writer.string(1, stringifyJson(value)),
};

const strings: SpecialForm = {
  decode(reader) {
    const list: MutableJson[] = [];
    for (const { number, bytes } of allPieces(reader)) if (number === 1) list.push(bytes.toString("utf8"));
    return list;
  },
  encode(value, writer) {
    if (Array.isArray(value)) for (const item of value) writer.string(1, String(item));
  },
};

const schemaOrBool: SpecialForm = {
  decode(reader, schema) {
    const pieces = readPieces(reader);
    const inside = pieces.get(2);
    return inside ? schema(new WireReader(inside.bytes)) : pieces.get(1)?.integer === 1;
  },
  encode(value, writer, schema) {
    writer.integer(1, value === true || isObject(value) ? 1 : 0);
    if (isObject(value)) writeInner(writer, 2, value, schema);
  },
};

function writeInner(writer: WireWriter, number: number, value: unknown, schema: WriteSchema): void {
  const start = writer.begin(number);
  schema(writer, value);
  writer.end(start);
}

/** A schema in field 1, or a list in field 2. */
const schemaOrList = (
  decodeItem: (bytes: Buffer, schema: (reader: WireReader) => MutableJson) => MutableJson,
  encodeItem: (value: unknown, writer: WireWriter, schema: WriteSchema) => void,
): SpecialForm => ({
  decode(reader, schema) {
    let single: MutableJson = null;
    const list: MutableJson[] = [];
    for (const { number, bytes } of allPieces(reader)) {
      if (number === 1) single = schema(new WireReader(bytes));
      else if (number === 2) list.push(decodeItem(bytes, schema));
    }
    return list.length > 0 ? list : single;
  },
  encode(value, writer, schema) {
    if (Array.isArray(value)) for (const item of value) encodeItem(item, writer, schema);
    else if (isObject(value)) writeInner(writer, 1, value, schema);
  },
});

const forms: ReadonlyMap<string, SpecialForm> = new Map([
  [`${meta}.Time`, time(formatTime, parseTime)],
  [`${meta}.MicroTime`, time(formatMicroTime, parseMicroTime)],
  [`${meta}.FieldsV1`, rawJson],
  [`${meta}.Verbs`, strings],
  ["k8s.io.apimachinery.pkg.api.resource.Quantity", quantity],
  ["k8s.io.apimachinery.pkg.util.intstr.IntOrString", intOrString],
  ["k8s.io.apimachinery.pkg.runtime.RawExtension", rawJson],
  ["k8s.io.api.authentication.v1.ExtraValue", strings],
  ["k8s.io.api.authorization.v1.ExtraValue", strings],
  ["k8s.io.api.certificates.v1.ExtraValue", strings],
  [`${apiextensions}.JSON`, rawJson],
  [`${apiextensions}.JSONSchemaPropsOrBool`, schemaOrBool],
  [
    `${apiextensions}.JSONSchemaPropsOrArray`,
    schemaOrList(
      (bytes, schema) => schema(new WireReader(bytes)),
      (value, writer, schema) => writeInner(writer, 2, value, schema),
    ),
  ],
  [
    `${apiextensions}.JSONSchemaPropsOrStringArray`,
    schemaOrList(
      (bytes) => bytes.toString("utf8"),
      (value, writer) => writer.string(2, String(value)),
    ),
  ],
]);

/** The form of a message that has one of its own. */
export function specialForm(name: string): SpecialForm | undefined {
  return forms.get(name);
}

interface Piece {
  readonly number: number;
  readonly integer: number;
  readonly bytes: Buffer;
}

const noBytes = Buffer.alloc(0);

/** The pieces of a message. */
function allPieces(reader: WireReader): readonly Piece[] {
  const pieces: Piece[] = [];
  while (!reader.done) {
    const piece = nextPiece(reader);
    if (piece) pieces.push(piece);
  }
  return pieces;
}

/** Undefined for what is none of the types that matter here. */
function nextPiece(reader: WireReader): Piece | undefined {
  const tag = reader.tag();
  const number = tag >>> 3;
  const type = tag & 7;
  if (type === wireType.varint) return { number, integer: reader.integer(), bytes: noBytes };
  if (type === wireType.bytes) return { number, integer: 0, bytes: reader.bytes() };
  reader.skip(type);
  return undefined;
}

/** The last value of each field. */
function readPieces(reader: WireReader): ReadonlyMap<number, Piece> {
  return new Map(allPieces(reader).map((piece) => [piece.number, piece]));
}

function embeddedJson(bytes: Buffer | undefined): MutableJson {
  if (bytes === undefined || bytes.length === 0) return null;
  try {
    return parseJson(bytes, false).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ProtobufError(error.message);
    throw error;
  }
}
