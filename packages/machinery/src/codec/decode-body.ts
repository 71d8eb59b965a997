// Bytes to a JSON value, whatever the media type. What a value of its kind must look like is decided later.
import { type ApiError, type GroupVersionKind, goQuote, isObject } from "@kubewright/api";
import { goKind } from "./built-in/go-type.js";
import { bodyTooLarge, unrecognizedObject } from "./decode-error.js";
import { JsonSyntaxError } from "./json/json-syntax-error.js";
import type { NumberLiterals } from "./json/number-literals.js";
import { parseJson } from "./json/parse-json.js";
import { bodyEncodingOf } from "./media-type.js";
import type { MutableJson, MutableObject } from "./mutable-json.js";
import { decodeProtobuf } from "./protobuf/decode-protobuf.js";
import { ProtobufError } from "./protobuf/protobuf-error.js";
import { parseYaml } from "./yaml/parse-yaml.js";
import { YamlError } from "./yaml/yaml-error.js";

/** The largest request body, as kube-apiserver limits it. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Options of decoding a request body. */
export interface DecodeBodyOptions {
  /** The kind the endpoint takes; messages name it. */
  readonly gvk: GroupVersionKind;
  /** Whether `duplicates` are used; finding them costs a little. */
  readonly reportDuplicates: boolean;
  /** Makes the refusal of what cannot be read, where it is not that of an object. */
  readonly unreadable?: ((problem: string) => ApiError) | undefined;
}

/** A decoded request body. */
export interface DecodedBody {
  /** Owned by the caller. */
  readonly value: MutableObject;
  /** Keys that stood twice in one object; the last one won. */
  readonly duplicates: readonly Duplicate[];
  /** Present when some number needs its text for validation. */
  readonly literals: NumberLiterals | undefined;
}

/** A key that occurs twice in one object. */
export interface Duplicate {
  /** `spec.replicas`; absent where only the message is known. */
  readonly path?: string | undefined;
  /** `duplicate field "spec.replicas"`. */
  readonly message: string;
}

/** Decodes JSON, YAML or protobuf. Throws the ApiError (400, 413, 415) kube-apiserver answers with. */
export function decodeBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  options: DecodeBodyOptions,
): DecodedBody {
  const encoding = bodyEncodingOf(contentType);
  if (bytes.length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  try {
    switch (encoding) {
      case "application/json": {
        const { value, duplicateFields, literals } = parseJson(bytes, options.reportDuplicates);
        return { value: rootObject(value), duplicates: duplicateFields.map(duplicateField), literals };
      }
      case "application/yaml": {
        const { value, duplicates, literals } = parseYaml(bytes);
        return { value: rootObject(value), duplicates, literals };
      }
      case "application/vnd.kubernetes.protobuf":
        return { ...decodeProtobuf(bytes, options.gvk), duplicates: [], literals: undefined };
    }
  } catch (error) {
    throw refusal(error, bytes, options);
  }
}

/** The error for a body that cannot be decoded; other errors stay as they are. */
function refusal(
  error: unknown,
  bytes: Uint8Array,
  { gvk, unreadable }: Pick<DecodeBodyOptions, "gvk" | "unreadable">,
): unknown {
  const problem = problemOf(error);
  if (problem === undefined) return error;
  return unreadable?.(problem) ?? unrecognizedObject(gvk.kind, problem, bytes);
}

function problemOf(error: unknown): string | undefined {
  if (error instanceof JsonSyntaxError)
    return `couldn't get version/kind; json parse error: ${error.message}`;
  return error instanceof YamlError || error instanceof ProtobufError ? error.message : undefined;
}

/** How kube-apiserver words a key that stood twice. */
export function duplicateField(path: string): Duplicate {
  return { path, message: `duplicate field ${goQuote(path)}` };
}

const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Go takes null for an empty object; lists and scalars are refused when `kind` is looked for in them. */
function rootObject(value: MutableJson): MutableObject {
  if (isObject(value)) return value;
  if (value === null) return {};
  throw new JsonSyntaxError(
    `json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMetaStruct}`,
  );
}
