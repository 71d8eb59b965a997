import type { TypeFacts } from "@kubewright/api";

type AnyObject = Readonly<Record<string, unknown>>;

/** Applies a strategic merge patch (the decoded body). Throws an ApiError: 400, 422 or 500. */
export function applyStrategicMergePatch(document: AnyObject, patch: unknown, facts: TypeFacts): AnyObject {
  throw new Error(`not yet: ${document} ${patch} ${facts}`);
}
