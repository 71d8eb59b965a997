import type { ApplyOptions, ApplyResult } from "./apply-types.js";

/**
 * Merges an applied configuration into the live object. Throws an ApiError: 409 with a cause per field when others own
 * what would change, 400 and 500 for configurations the server does not take.
 */
export function applyConfiguration(options: ApplyOptions): ApplyResult {
  throw new Error(`not yet: ${options.manager}`);
}
