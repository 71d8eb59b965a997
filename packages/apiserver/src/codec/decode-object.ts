// The way of an object from the body of a request to a value the registry can work on.
import { apiVersionOf, type GroupVersionKind, goQuote, type RequestBody } from "@kubewright/api";
import { kindFacts } from "@kubewright/api/facts";
import { adoptObject } from "./adopt-object.js";
import {
  type BodyReaders,
  bodySteps,
  type DecodeBodyOptions,
  type DecodedBody,
  decodeBody,
} from "./decode-body.js";
import { cannotBeHandled, unrecognizedObject } from "./decode-error.js";
import { type NumberLiterals, roundedInteger } from "./json/number-literals.js";
import { bodyEncodingOf } from "./media-type.js";
import type { MutableObject } from "./mutable-json.js";
import { normalizeNative, normalizingSteps } from "./native/normalize-native.js";
import { checkKind, objectKind } from "./object-kind.js";

/** What to do about fields that would be dropped: `?fieldValidation=`. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** What fitting a decoded value to its kind found. */
export interface FitResult {
  /** The first thing that does not fit, in the words of the real server; the value is unusable then. */
  readonly error?: string | undefined;
  /** Paths of fields that were dropped: `spec.template.spec.containers[0].imagee`. */
  readonly unknownFields: readonly string[];
}

/** The kind an endpoint takes. */
export interface DecodeTarget {
  readonly gvk: GroupVersionKind;
  /** Custom kinds are decoded without a scheme: `kind` is required, and no kind is refused for being unknown. */
  readonly custom: boolean;
  /** Makes the value what the server would hold: unknown fields dropped, canonical forms. Works in place. */
  fit(value: MutableObject, literals: NumberLiterals | undefined): FitResult;
  /** The same step by step, where that can be done. */
  fittingSteps?(value: MutableObject, literals: NumberLiterals | undefined): FitResult;
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
 * Decodes the body of a create or update. Throws the ApiError the real server answers with.
 *
 * @example
 * const { value, warnings } = decodeObject(request.body, contentType, nativeTarget(gvk), "Warn");
 */
export function decodeObject(
  body: RequestBody | undefined,
  contentType: string | undefined,
  target: DecodeTarget,
  fieldValidation: FieldValidation,
  readers?: BodyReaders,
): DecodedObject {
  const options = { reportDuplicates: fieldValidation !== "Ignore", readers };
  const read = readObject(decodeAny(body, contentType, target, options), body, target);
  const { value, literals } = read.decoded;
  return checkFit(read, target, fieldValidation, unfit(target, literals) ?? target.fit(value, literals));
}

/** The same step by step. */
export function decodingSteps(
  body: RequestBody | undefined,
  contentType: string | undefined,
  target: DecodeTarget,
  fieldValidation: FieldValidation,
  readers?: BodyReaders,
): DecodedObject {
  const options = { reportDuplicates: fieldValidation !== "Ignore", readers };
  const decoded = decodingAny(body, contentType, target, options);

  const read = readObject(decoded, body, target);
  const fit = fittingSteps(read.decoded.value, target, read.decoded.literals);

  return checkFit(read, target, fieldValidation, fit);
}

/** A body that says it is of the right kind. */
interface ReadObject {
  readonly decoded: DecodedBody;
  readonly actual: GroupVersionKind;
}

function readObject(decoded: DecodedBody, body: RequestBody | undefined, target: DecodeTarget): ReadObject {
  const { value } = decoded;
  const actual = objectKind(value, target, body?.kind === "bytes" ? body.bytes : noBytes);
  checkKind(actual, target);
  value["apiVersion"] = apiVersionOf(actual);
  value["kind"] = actual.kind;
  return { decoded, actual };
}

/** Throws what speaks against it, or says what should be known about it. */
function checkFit(
  { decoded, actual }: ReadObject,
  target: DecodeTarget,
  fieldValidation: FieldValidation,
  { error, unknownFields }: FitResult,
): DecodedObject {
  if (error !== undefined) throw cannotBeHandled(actual, target.gvk.kind, error);
  const warnings = fieldValidation === "Ignore" ? [] : strictErrors(decoded, unknownFields);
  if (warnings.length > 0 && fieldValidation === "Strict") {
    throw cannotBeHandled(actual, target.gvk.kind, strictDecodingError(warnings));
  }
  return { value: decoded.value, warnings: warnings.flatMap(warningLines) };
}

/** Headers hold no line breaks: each line that YAML is complained about becomes a warning of its own. */
export function warningLines(text: string): string[] {
  const lines = text.replace(/^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/, "");
  return lines === text ? [text] : lines.split("\n").map((line) => line.trim());
}

/** What the real server calls a body with fields it would drop, when told to be strict. */
export function strictDecodingError(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(", ")}`;
}

/** The target of an endpoint that takes a built-in kind. */
export function nativeTarget(
  gvk: GroupVersionKind,
  isRegistered: (gvk: GroupVersionKind) => boolean = (other) => kindFacts(other) !== undefined,
): DecodeTarget {
  const facts = kindFacts(gvk);
  if (!facts) throw new Error(`${apiVersionOf(gvk)} ${gvk.kind} is not a built-in kind`);
  return {
    gvk,
    custom: false,
    fit: (value, literals) => normalizeNative(value, facts, literals),
    fittingSteps: (value, literals) => normalizingSteps(value, facts, literals),
    isRegistered,
  };
}

const noBytes = new Uint8Array();

/** Fits a decoded value to its kind. */
export function fittingSteps(
  value: MutableObject,
  target: DecodeTarget,
  literals: NumberLiterals | undefined,
): FitResult {
  const problem = unfit(target, literals);
  if (problem) return problem;
  return target.fittingSteps ? target.fittingSteps(value, literals) : target.fit(value, literals);
}

/** Custom kinds have no native types to say where an integer may be rounded (`maximum`): it may nowhere. */
function unfit({ custom }: DecodeTarget, literals: NumberLiterals | undefined): FitResult | undefined {
  const error = custom ? roundedInteger(literals) : undefined;
  return error === undefined ? undefined : { error, unknownFields: [] };
}

type DecodeAnyOptions = Pick<DecodeBodyOptions, "reportDuplicates" | "readers">;

function decodeAny(
  body: RequestBody | undefined,
  contentType: string | undefined,
  target: DecodeTarget,
  options: DecodeAnyOptions,
): DecodedBody {
  if (body?.kind === "object") return adopted(body.value);
  const bytes = body?.bytes ?? noBytes;
  checkEncoding(bytes, contentType, target);
  const { reportDuplicates, readers } = options;
  return decodeBody(bytes, contentType, { gvk: target.gvk, reportDuplicates, readers });
}

function decodingAny(
  body: RequestBody | undefined,
  contentType: string | undefined,
  target: DecodeTarget,
  options: DecodeAnyOptions,
): DecodedBody {
  if (body?.kind === "object") return adopted(body.value);
  const bytes = body?.bytes ?? noBytes;
  checkEncoding(bytes, contentType, target);
  return bodySteps(bytes, contentType, { gvk: target.gvk, ...options });
}

const adopted = (value: unknown): DecodedBody => ({
  value: adoptObject(value),
  duplicates: [],
  literals: undefined,
});

function checkEncoding(bytes: Uint8Array, contentType: string | undefined, target: DecodeTarget): void {
  if (target.custom && bodyEncodingOf(contentType) === "application/vnd.kubernetes.protobuf")
    throw unrecognizedObject(target.gvk.kind, noProtobuf, bytes);
}

const noProtobuf =
  "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";

/** Keys inside a dropped field are never looked at, so nothing is said of them. */
function strictErrors({ duplicates }: DecodedBody, unknownFields: readonly string[]): string[] {
  const inside = (path: string): boolean =>
    unknownFields.some(
      (field) => path.startsWith(field) && (path[field.length] === "." || path[field.length] === "["),
    );
  const messages = duplicates
    .filter(({ path }) => path === undefined || !inside(path))
    .map(({ message }) => message);
  for (const path of unknownFields) messages.push(`unknown field ${goQuote(path)}`);
  return messages;
}
