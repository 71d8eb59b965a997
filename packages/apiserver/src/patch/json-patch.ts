/** Applies an RFC 6902 patch (the decoded body). Throws an ApiError: 400, 413 or 422. */
export function applyJsonPatch(document: unknown, operations: unknown): unknown {
  throw new Error(`not yet: ${document} ${operations}`);
}
