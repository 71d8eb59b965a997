// The way of an object from the body of a request to a value the registry can work on.
import type { GroupVersionKind, RequestBody } from "@kubewright/api";
import type { NumberLiterals } from "./json/number-literals.js";
import type { MutableObject } from "./mutable-json.js";

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
  _body: RequestBody | undefined,
  _contentType: string | undefined,
  _target: DecodeTarget,
  _fieldValidation: FieldValidation,
): DecodedObject {
  throw new Error("not implemented yet");
}

/** The target of an endpoint that takes a built-in kind. */
export function nativeTarget(_gvk: GroupVersionKind): DecodeTarget {
  throw new Error("not implemented yet");
}
