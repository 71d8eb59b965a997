// The storage key of the object that a path names; names that could lead elsewhere are refused.

import { goQuote, validatePathSegmentName } from "@kubewright/api";
import { badRequest } from "@kubewright/kinds";

import { keyOf, type ResourceKind } from "./resource-kind.js";

/** The key of an object that a request names. Throws 400. */
export function requestedKey(
  kind: Pick<ResourceKind, "scope">,
  namespace: string | undefined,
  name: string,
): string {
  if (kind.scope === "Namespaced" && !namespace) throw badRequest("Namespace parameter required.");
  if (name === "") throw badRequest("Name parameter required.");
  const problems = validatePathSegmentName(name);
  if (problems.length > 0)
    throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(";")}`);
  return keyOf(kind, namespace, name);
}
