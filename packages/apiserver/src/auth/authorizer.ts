// Authorization: attributes of a request (user, verb, resource or path) and the interface of authorizers.

import { ApiError, goQuote, type TransportRequest } from "@kubewright/api";
import type { AccessQuestion, Authorizer, ResourceQuestion, RuleResolver, UserInfo } from "@kubewright/kinds";

import type { RequestInfo, ResourceRequestInfo } from "../request/request-info.js";
import { requestedName, requestedVerb } from "../request/requested.js";

/** Lets everyone do everything: for tests that are about something else. */
export const allowAll: Authorizer = () => ({ allowed: true, reason: "" });

/** The rules of every user where everything is allowed. */
export const everyRule: RuleResolver = () => ({
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  missing: [],
});

/** The question a request asks. */
export function questionOf(
  user: UserInfo,
  info: RequestInfo,
  request: Pick<TransportRequest, "method" | "query">,
): AccessQuestion {
  if (info.kind === "path") return { kind: "path", user, verb: info.verb, path: info.path };
  const question = resourceQuestion(
    user,
    info,
    requestedVerb(info, request.method),
    requestedName(info, request.query),
  );
  const fieldSelector = selecting.has(question.verb) ? request.query?.get("fieldSelector") : undefined;
  return fieldSelector ? { ...question, fieldSelector } : question;
}

const selecting = new Set(["list", "watch", "deletecollection"]);

/** Asks one authorizer after the other: the first that allows decides, and the reasons of the others are joined. */
export function anyAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return (question) => {
    const reasons: string[] = [];
    for (const authorizer of authorizers) {
      const decision = authorizer(question);
      if (decision.allowed) return decision;
      if (decision.reason !== "") reasons.push(decision.reason);
    }
    return { allowed: false, reason: reasons.join("\n") };
  };
}

/** A question about the resource a request names, with a verb of one's own. */
export function resourceQuestion(
  user: UserInfo,
  info: ResourceRequestInfo,
  verb: string,
  name: string = info.name ?? "",
): ResourceQuestion {
  return {
    kind: "resource",
    user,
    verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource ?? "",
    namespace: info.namespace ?? "",
    name,
  };
}

/** Throws 403 unless it is allowed. */
export function demand(authorizer: Authorizer, question: AccessQuestion): void {
  const { allowed, reason } = authorizer(question);
  if (!allowed) throw accessDenied(question, reason);
}

/** 403 as Kubernetes words it. */
export function accessDenied(question: AccessQuestion, reason: string): ApiError {
  const suffix = reason === "" ? "" : `: ${reason}`;
  if (question.kind === "path") {
    const { user, verb, path } = question;
    const message = `forbidden: User ${goQuote(user.name)} cannot ${verb} path ${goQuote(path)}${suffix}`;
    return new ApiError(message, { code: 403, reason: "Forbidden", details: {} });
  }
  const { group, resource, name } = question;
  const target = group === "" ? resource : `${resource}.${group}`;
  const named = name === "" ? target : `${target} ${goQuote(name)}`;
  return new ApiError(`${named} is forbidden: ${cannot(question)}${suffix}`, {
    code: 403,
    reason: "Forbidden",
    details: { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
  });
}

/** `User "jane" cannot list resource "pods" in API group "" in the namespace "default"` */
function cannot({ user, verb, group, resource, subresource, namespace }: ResourceQuestion): string {
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  return `User ${goQuote(user.name)} cannot ${verb} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}`;
}
