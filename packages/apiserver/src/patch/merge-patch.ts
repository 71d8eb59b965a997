/** Applies an RFC 7386 patch (the decoded body). Throws an ApiError 400 when it is not an object. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  throw new Error(`not yet: ${document} ${patch}`);
}
