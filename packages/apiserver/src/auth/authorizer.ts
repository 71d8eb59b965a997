// May they? A question about a user, a verb and a resource or path, and the shape of whoever answers it.
import { ApiError } from "@kubewright/api";
import type { RequestInfo } from "../request/request-info.js";
import type { UserInfo } from "../request/user.js";

/** What someone wants to do. */
export type AccessQuestion = ResourceQuestion | PathQuestion;

export interface ResourceQuestion {
  readonly kind: "resource";
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PathQuestion {
  readonly kind: "path";
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** Why, where there is more to say. */
  readonly reason: string;
}

export type Authorizer = (question: AccessQuestion) => Decision;

/** Lets everyone do everything: for tests that are about something else. */
export const allowAll: Authorizer = () => ({ allowed: true, reason: "" });

/** The question a request asks. */
export function questionOf(user: UserInfo, info: RequestInfo): AccessQuestion {
  if (info.kind === "path") return { kind: "path", user, verb: info.verb, path: info.path };
  return {
    kind: "resource",
    user,
    verb: info.verb === "connect" ? "create" : info.verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource ?? "",
    namespace: info.namespace ?? "",
    name: info.name ?? "",
  };
}

/** 403 as Kubernetes words it. */
export function accessDenied(question: AccessQuestion, reason: string): ApiError {
  const suffix = reason === "" ? "" : `: ${reason}`;
  if (question.kind === "path") {
    const message = `forbidden: User ${JSON.stringify(question.user.name)} cannot ${question.verb} path ${JSON.stringify(question.path)}${suffix}`;
    return new ApiError(message, { code: 403, reason: "Forbidden", details: {} });
  }
  const { group, resource, name } = question;
  const target = group === "" ? resource : `${resource}.${group}`;
  const named = name === "" ? target : `${target} ${JSON.stringify(name)}`;
  return new ApiError(`${named} is forbidden: ${cannot(question)}${suffix}`, {
    code: 403,
    reason: "Forbidden",
    details: { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
  });
}

/** `User "jane" cannot list resource "pods" in API group "" in the namespace "default"` */
export function cannot(question: ResourceQuestion): string {
  const { user, verb, group, resource, subresource, namespace } = question;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
