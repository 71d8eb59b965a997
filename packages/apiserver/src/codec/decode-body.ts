// Bytes to a JSON value, whatever the media type. What a value of its kind must look like is decided later.

import type { NumberLiterals } from "./json/number-literals.js";
import type { MutableObject } from "./mutable-json.js";

/** The largest request body, as the real server limits it. */
export const maxBodyBytes = 3 * 1024 * 1024;

export interface DecodeBodyOptions {
  /** The kind the endpoint takes; messages name it. */
  readonly kind: string;
  /** Whether anyone will look at `duplicateFields`; finding them costs a little. */
  readonly reportDuplicates: boolean;
}

export interface DecodedBody {
  /** Owned by the caller. */
  readonly value: MutableObject;
  /** Paths of keys that stood twice in one object (the last one won): `spec.replicas`. */
  readonly duplicateFields: readonly string[];
  /** Present when some number needs its text to be judged. */
  readonly literals: NumberLiterals | undefined;
}

/** Decodes JSON, YAML or protobuf. Throws the ApiError (400, 413, 415) the real server answers with. */
export function decodeBody(
  _bytes: Uint8Array,
  _contentType: string | undefined,
  _options: DecodeBodyOptions,
): DecodedBody {
  throw new Error("not implemented yet");
}
