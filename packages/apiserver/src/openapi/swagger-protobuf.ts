// The Swagger document in protobuf: the only form kubectl asks for when it meets a kind it cannot find, to learn what the
// server supports. Field numbers are those of the gnostic OpenAPI v2 messages; what kubectl does not read is left out.

import { stringifyJson } from "@kubewright/api";
import { WireWriter } from "@kubewright/machinery";
import type { Json } from "./custom-schema.js";
import { isJson } from "./swagger-part.js";

const entries = (value: unknown): [string, Json][] =>
  isJson(value) ? Object.entries(value).filter((entry): entry is [string, Json] => isJson(entry[1])) : [];

/** Writes one message by filling it in. */
function message(fill: (writer: WireWriter) => void): Buffer {
  const writer = new WireWriter();
  fill(writer);
  return writer.finish();
}

/** A named value, as maps are written. */
const named = (name: string, value: Uint8Array): Buffer =>
  message((writer) => {
    writer.string(1, name);
    writer.bytes(2, value);
  });

/** Encodings of parts of a document, by identity: they outlive the document. */
export type KnownEncodings = WeakMap<object, Buffer>;

/** Encodes a Swagger document made by `OpenApiDocuments.swagger`. */
export function swaggerProtobuf(document: unknown, known: KnownEncodings = new WeakMap()): Buffer {
  if (!isJson(document)) return Buffer.alloc(0);
  const info = isJson(document["info"]) ? document["info"] : {};
  const writer = new WireWriter();
  writer.string(1, "2.0");
  writer.bytes(
    2,
    message((inner) => writeInfo(inner, info)),
  );
  writer.bytes(8, namedMessages(2, document["paths"], once(pathItem, known)));
  writer.bytes(9, namedMessages(1, document["definitions"], once(schema, known)));
  const parameters = Object.fromEntries(
    entries(document["parameters"]).filter(([, each]) => isOfQuery(each)),
  );
  if (Object.keys(parameters).length > 0) writer.bytes(10, namedMessages(1, parameters, queryParameter));
  return writer.finish();
}

/** How a value is written. */
type Encode = (value: Json) => Buffer;

const once =
  (encode: Encode, known: KnownEncodings): Encode =>
  (value) => {
    const encoded = known.get(value) ?? encode(value);
    known.set(value, encoded);
    return encoded;
  };

function writeInfo(writer: WireWriter, info: Json): void {
  writer.string(1, String(info["title"] ?? ""));
  writer.string(2, String(info["version"] ?? ""));
}

function namedMessages(field: number, values: unknown, encode: Encode): Buffer {
  const writer = new WireWriter();
  if (!isJson(values)) return writer.finish();
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (!isJson(value)) continue;
    writer.bytes(field, named(name, encode(value)));
  }
  return writer.finish();
}

const methods = { get: 2, put: 3, post: 4, delete: 5, patch: 8 } as const;

function pathItem(item: Json): Buffer {
  return message((writer) => {
    for (const [method, field] of Object.entries(methods)) {
      const operation = item[method];
      if (isJson(operation)) writer.bytes(field, operationMessage(operation));
    }
  });
}

function operationMessage(operation: Json): Buffer {
  return message((writer) => {
    writer.string(5, String(operation["operationId"] ?? ""));
    const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isJson) : [];
    for (const parameter of parameters.filter(isOfQuery)) writer.bytes(8, parameterItem(parameter));
    writeExtensions(writer, 13, operation);
  });
}

/** Clients look only for query parameters, not for those of paths and bodies. */
const isOfQuery = (parameter: Json): boolean =>
  (parameter["in"] ?? "query") === "query" && !String(parameter["$ref"]).startsWith("#/parameters/body-");

const wrap = (field: number, content: Buffer): Buffer => message((writer) => writer.bytes(field, content));

/** ParametersItem: a parameter, or where it is. */
const parameterItem = (parameter: Json): Buffer =>
  typeof parameter["$ref"] === "string"
    ? wrap(2, typeItem(parameter["$ref"]))
    : wrap(1, queryParameter(parameter));

/** Parameter → NonBodyParameter → the parameter itself, in the query. */
function queryParameter(parameter: Json): Buffer {
  const itself = message((writer) => {
    writer.string(2, "query");
    writer.string(4, String(parameter["name"]));
    writer.string(6, String(parameter["type"] ?? "string"));
  });
  return wrap(2, wrap(3, itself));
}

function schema(value: Json): Buffer {
  const writer = new WireWriter();
  for (const [key, field] of [
    ["$ref", 1],
    ["format", 2],
    ["description", 4],
  ] as const) {
    if (typeof value[key] === "string") writer.string(field, value[key]);
  }
  if (Array.isArray(value["required"]))
    for (const name of value["required"]) {
      writer.string(19, String(name));
    }
  const { additionalProperties: additional, items, properties } = value;
  if (isJson(additional)) writer.bytes(21, wrap(1, schema(additional)));
  if (typeof value["type"] === "string") writer.bytes(22, typeItem(value["type"]));
  if (isJson(items)) writer.bytes(23, wrap(1, schema(items)));
  if (isJson(properties)) writer.bytes(25, namedMessages(1, properties, schema));
  writeExtensions(writer, 31, value);
  return writer.finish();
}

/** A message of one text: of a type, or of a reference. */
const typeItem = (text: string): Buffer => message((writer) => writer.string(1, text));

/** Extensions are kept as YAML text, of which JSON is a part. */
function writeExtensions(writer: WireWriter, field: number, value: Json): void {
  for (const [name, extension] of Object.entries(value)) {
    if (!name.startsWith("x-")) continue;
    writer.bytes(
      field,
      named(
        name,
        message((inner) => inner.string(2, stringifyJson(extension))),
      ),
    );
  }
}
