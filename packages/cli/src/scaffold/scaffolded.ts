import type { FileChange } from "./file-plan.js";

/** What a scaffolding command did, and what is left to the user. */
export interface Scaffolded {
  readonly changes: readonly FileChange[];
  /** Edits that could not be made: each says what to add where. */
  readonly manual: readonly string[];
}
