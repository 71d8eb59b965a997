// Decodes an object: from the body of a request to a value the registry can work on.
import { apiVersionOf, type GroupVersionKind, goQuote, type RequestBody } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { compareText } from "../go-format.js";
import { adoptObject } from "./adopt-object.js";
import { normalizeBuiltIn } from "./built-in/normalize-built-in.js";
import { type DecodedBody, type Duplicate, decodeBody } from "./decode-body.js";
import { cannotBeHandled, unrecognizedObject } from "./decode-error.js";
import { keyPaths } from "./json/key-order.js";
import type { NumberLiterals } from "./json/number-literals.js";
import { bodyEncodingOf } from "./media-type.js";
import type { MutableObject } from "./mutable-json.js";
import { checkKind, objectKind } from "./object-kind.js";

/** The handling of unknown and duplicate fields: `?fieldValidation=`. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** The result of normalizing a decoded value. */
export interface Normalization {
  /** The first value of the wrong type, in the words of kube-apiserver; the value is unusable then. */
  readonly error?: string | undefined;
  /** Paths of fields that were dropped: `spec.template.spec.containers[0].imagee`. */
  readonly unknownFields: readonly string[];
}

/** Decodes the kind an endpoint takes. */
export interface ObjectDecoder {
  readonly gvk: GroupVersionKind;
  /** Custom kinds are decoded without a scheme: `kind` is required, and no kind is refused for being unknown. */
  readonly custom: boolean;
  /**
   * Makes the value what the server would hold: unknown fields dropped, canonical forms. Works in place. With `isMerged` it is the
   * outcome of server-side apply, in which nulls of custom resources are kept, and refused later, or of a strategic merge.
   */
  normalize(value: MutableObject, literals: NumberLiterals | undefined, isMerged?: boolean): Normalization;
  /** Whether the server knows the kind at all: decides which refusal a wrong kind gets. */
  isRegistered?(gvk: GroupVersionKind): boolean;
}

/** A decoded body. */
export interface DecodedObject {
  /** Owned by the caller; `apiVersion` and `kind` are always set. */
  readonly value: MutableObject;
  /** Texts for `Warning` headers: `unknown field "spec.foo"`. Empty unless fieldValidation is `Warn`. */
  readonly warnings: readonly string[];
}

/**
 * Decodes the body of a create or update. Throws the ApiError kube-apiserver answers with.
 *
 * @example
 * const { value, warnings } = decodeObject(request.body, contentType, builtInDecoder(gvk), "Warn");
 */
export function decodeObject(
  body: RequestBody | undefined,
  contentType: string | undefined,
  decoder: ObjectDecoder,
  fieldValidation: FieldValidation,
): DecodedObject {
  const decoded = decodeAny(body, contentType, decoder, fieldValidation !== "Ignore");
  const { value, literals } = decoded;
  const actual = objectKind(value, decoder, body?.kind === "bytes" ? body.bytes : noBytes);
  checkKind(actual, decoder, value);
  value["apiVersion"] = apiVersionOf(actual);
  value["kind"] = actual.kind;
  const { error, unknownFields } = decoder.normalize(value, literals);
  if (error !== undefined) throw cannotBeHandled(actual, decoder.gvk.kind, error);
  const warnings =
    fieldValidation === "Ignore"
      ? []
      : strictErrors(decoded, unknownFields, body, contentType, decoder.custom);
  if (warnings.length > 0 && fieldValidation === "Strict") {
    throw cannotBeHandled(actual, decoder.gvk.kind, strictDecodingError(warnings));
  }
  return { value, warnings: warnings.flatMap(warningLines) };
}

/** Headers hold no line breaks: each line that YAML is complained about becomes a warning of its own. */
export function warningLines(text: string): string[] {
  const lines = text.replace(/^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/, "");
  return lines === text ? [text] : lines.split("\n").map((line) => line.trim());
}

/** The error of kube-apiserver for a body with fields it would drop, under strict field validation. */
export function strictDecodingError(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(", ")}`;
}

/** The decoder of a built-in kind. */
export function builtInDecoder(
  gvk: GroupVersionKind,
  isRegistered: (gvk: GroupVersionKind) => boolean = (other) => kindTypeInfo(other) !== undefined,
): ObjectDecoder {
  const typeInfo = kindTypeInfo(gvk);
  if (!typeInfo) throw new Error(`${apiVersionOf(gvk)} ${gvk.kind} is not a built-in kind`);
  return {
    gvk,
    custom: false,
    normalize: (value, literals, isMerged) => normalizeBuiltIn(value, typeInfo, literals, isMerged),
    isRegistered,
  };
}

const noBytes = new Uint8Array();

function decodeAny(
  body: RequestBody | undefined,
  contentType: string | undefined,
  decoder: ObjectDecoder,
  reportDuplicates: boolean,
): DecodedBody {
  if (body?.kind === "object") return { value: adoptObject(body.value), duplicates: [], literals: undefined };
  const bytes = body?.bytes ?? noBytes;
  checkEncoding(bytes, contentType, decoder);
  return decodeBody(bytes, contentType, { gvk: decoder.gvk, reportDuplicates });
}

function checkEncoding(bytes: Uint8Array, contentType: string | undefined, decoder: ObjectDecoder): void {
  if (decoder.custom && bodyEncodingOf(contentType) === "application/vnd.kubernetes.protobuf")
    throw unrecognizedObject(decoder.gvk.kind, noProtobuf, bytes);
}

const noProtobuf =
  "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";

/**
 * A dropped field of a built-in kind and the keys inside it are never looked at, so that they are not reported as duplicates. Errors of
 * JSON come in the order of its keys; those of custom kinds and of YAML first for keys that stand twice, then for unknown fields (of YAML
 * as the JSON that is made of it, whose keys are sorted).
 */
function strictErrors(
  { duplicates }: DecodedBody,
  unknownFields: readonly string[],
  body: RequestBody | undefined,
  contentType: string | undefined,
  isCustom: boolean,
): string[] {
  const inside = (path: string): boolean =>
    unknownFields.some(
      (field) =>
        path === field ||
        (path.startsWith(field) && (path[field.length] === "." || path[field.length] === "[")),
    );
  const twice = isCustom ? duplicates : duplicates.filter(({ path }) => path === undefined || !inside(path));
  const encoding = bodyEncodingOf(contentType);
  if (
    body?.kind === "bytes" &&
    encoding === "application/json" &&
    !isCustom &&
    twice.length > 0 &&
    unknownFields.length > 0
  )
    return inDocumentOrder(body.bytes, twice, unknownFields);
  const unknown = encoding === "application/yaml" ? unknownFields.toSorted(comparePaths) : unknownFields;
  return [...twice.map(({ message }) => message), ...unknown.map(unknownField)];
}

const unknownField = (path: string): string => `unknown field ${goQuote(path)}`;

function inDocumentOrder(
  bytes: Uint8Array,
  duplicates: readonly Duplicate[],
  unknownFields: readonly string[],
): string[] {
  const seen = new Set<string>();
  const messages = new Set<string>();
  const twice = new Map(duplicates.map(({ path = "", message }) => [path, message]));
  const unknown = new Set(unknownFields);
  for (const path of keyPaths(Buffer.from(bytes).toString("utf8"))) {
    const repeated = seen.has(path) ? twice.get(path) : undefined;
    if (repeated !== undefined) messages.add(repeated);
    if (unknown.has(path)) messages.add(unknownField(path));
    seen.add(path);
  }
  return [...messages];
}

/** Compares paths step by step: `a.b[2].c`, `a.b[10].c`, `a.bc`. */
function comparePaths(a: string, b: string): number {
  const [left, right] = [a, b].map((path) => path.match(/[^.[\]]+/g) ?? []);
  for (const [index, step] of (left ?? []).entries()) {
    const other = right?.[index];
    if (other === undefined) return 1;
    if (step === other) continue;
    return /^\d+$/.test(step) && /^\d+$/.test(other)
      ? Number(step) - Number(other)
      : compareText(step, other);
  }
  return -1;
}
