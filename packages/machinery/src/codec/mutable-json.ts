// Decoded bodies belong to the request that sent them until they are stored, so that normalising, defaulting and
// admission can work in place. Once stored they are read as `JsonObject`.

/** A JSON value that may be changed in place. Integers that a number would round are bigints; see docs/decisions/0001. */
export type MutableJson = string | number | bigint | boolean | null | MutableObject | MutableJson[];

/** A JSON object that may be changed in place; `undefined` means absent. */
export interface MutableObject {
  [key: string]: MutableJson | undefined;
}
