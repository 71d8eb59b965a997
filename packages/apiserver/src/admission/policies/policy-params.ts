// The parameters of a policy: objects of any kind that a binding names or selects.

import { type ParamKind, type ParamRef, parseApiVersion } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { RequestContext } from "../../registry/request-context.js";
import { keyOf, type ResourceKind } from "../../registry/resource-kind.js";
import { readAllServed } from "../../registry/served-version.js";
import { matcherOf } from "../matching/matcher-of.js";

/** The configuration of a policy or binding is wrong for this request. */
export class PolicyMisconfigured extends Error {
  override readonly name = "PolicyMisconfigured";
}

/** The resource behind a parameter kind; undefined when a policy has none. Throws PolicyMisconfigured when it is not served. */
export function paramResource(
  { services }: RequestContext,
  paramKind: ParamKind | undefined,
): ResourceKind | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const { group, version } = parseApiVersion(apiVersion) ?? { group: "", version: apiVersion };
  const found = services.registry.findKind(group, version, kind);
  if (found) return found;
  throw new PolicyMisconfigured(
    `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`,
  );
}

/**
 * The parameters to evaluate a policy with, once each; a single null where it takes none. Throws PolicyMisconfigured when
 * there is nothing to evaluate with, and that is not allowed.
 */
export async function policyParams(
  context: RequestContext,
  kind: ResourceKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<readonly (StoredObject | null)[]> {
  if (!kind || !ref) return [null];
  const home = homeOf(kind, ref, namespace);
  const params = await readAllServed(context, kind, found(context, kind, ref, home));
  if (params.length === 0 && ref.parameterNotFoundAction === "Deny")
    throw new PolicyMisconfigured("no params found for policy binding with `Deny` parameterNotFoundAction");
  return params;
}

/** The namespace parameters are looked for in: the binding's own, else that of the request. */
function homeOf({ scope }: ResourceKind, ref: ParamRef, namespace: string): string | undefined {
  if (scope === "Cluster") {
    if (!ref.namespace) return undefined;
    throw new PolicyMisconfigured("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const home = ref.namespace || namespace;
  if (home !== "") return home;
  throw new PolicyMisconfigured(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

function found(
  { services }: RequestContext,
  kind: ResourceKind,
  { name, selector }: ParamRef,
  namespace: string | undefined,
): StoredObject[] {
  const { storage } = services;
  if (name) {
    const named = storage.get(kind.storage, keyOf(kind, namespace, name));
    return named ? [named] : [];
  }
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  const matcher = matcherOf(selector);
  return [...storage.list(kind.storage, { prefix })].filter(({ metadata }) =>
    matcher.matches(metadata.labels),
  );
}
