// The values of the variables for one request.

import type { JsonObject, ObjectMeta } from "@kubewright/api";
import { type CelAccessCheck, type CelAuthorizer, celAuthorizer, celResourceCheck } from "@kubewright/cel";
import type { AccessQuestion, Bindings, DraftObject, StoredObject, UserInfo } from "@kubewright/kinds";

import type { RequestContext } from "../../registry/request-context.js";
import type { MatchSubject } from "../matching/match-request.js";

/** The values that expressions see besides the request attributes. */
export interface BindingsInput {
  readonly object: DraftObject | StoredObject | undefined;
  readonly oldObject: StoredObject | undefined;
  /** `request`. */
  readonly attributes: JsonObject;
}

/** Bindings for everything but `params`, `namespaceObject` and `variables`, which are null or absent. */
export function admissionBindings(
  subject: MatchSubject,
  { object, oldObject, attributes }: BindingsInput,
): Bindings {
  const { request, target, namespace } = subject;
  const decide = authorizerFor(request.context);
  const { group, resource } = target.resource;
  const { subresource } = target;
  return {
    object: object ?? null,
    oldObject: oldObject ?? null,
    request: attributes,
    namespaceObject: null,
    params: null,
    authorizer: celAuthorizer(decide),
    "authorizer.requestResource": celResourceCheck(decide, {
      group,
      resource,
      subresource,
      namespace,
      name: request.name,
    }),
  };
}

/** The namespace as expressions see it: without managedFields and the like. */
export function namespaceObject(namespace: StoredObject | undefined): unknown {
  if (!namespace) return null;
  const { managedFields: _managers, ownerReferences: _owners, ...metadata }: ObjectMeta = namespace.metadata;
  return { metadata, spec: namespace["spec"] ?? {}, status: namespace["status"] ?? {} };
}

function authorizerFor({ services, user }: RequestContext): CelAuthorizer {
  return (check) => {
    const { allowed, reason } = services.authorizer(questionOf(check, user));
    return { allowed, reason, error: "" };
  };
}

function questionOf(check: CelAccessCheck, requester: UserInfo): AccessQuestion {
  const { verb, serviceAccount } = check;
  const user = serviceAccount ? serviceAccountUser(serviceAccount) : requester;
  if (check.kind === "path") return { kind: "path", user, verb, path: check.path };
  const { group, resource, subresource, namespace, name } = check;
  return { kind: "resource", user, verb, group, version: "*", resource, subresource, namespace, name };
}

const serviceAccountUser = ({ namespace, name }: { namespace: string; name: string }): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
});
