/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];

/** A JSON object; `undefined` means absent. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
