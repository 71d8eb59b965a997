// Questions of authorization: may this user do that?
import type { PolicyRule, RoleRef } from "@kubewright/api";
import type { UserInfo } from "./user.js";

/** A question to an authorizer: may a user do this to a resource, or request this path? */
export type AccessQuestion = ResourceQuestion | PathQuestion;

/** A question about a verb on a resource. */
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
  /** The field selector of a list, a watch or the deletion of a collection. */
  readonly fieldSelector?: string | undefined;
}

export interface PathQuestion {
  readonly kind: "path";
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

/** The answer of an authorizer. */
export interface Decision {
  readonly allowed: boolean;
  /** The reason, where there is more to say. */
  readonly reason: string;
}

/** Decides whether a user may do something. */
export type Authorizer = (question: AccessQuestion) => Decision;

/** All rules that hold for a user, and the roles that are bound but missing. */
export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly RoleRef[];
  /** Why there may be more than these. */
  readonly incomplete?: string | undefined;
}

/** Everything a user may do cluster-wide, and in the namespace if one is given. */
export type RuleResolver = (user: UserInfo, namespace: string) => HeldRules;

/** The group whose members may do everything, whatever the roles say. */
export const privilegedGroup = "system:masters";

/** Whether a user is in `system:masters`, which may do everything. */
export const isPrivileged = (user: UserInfo): boolean => user.groups.includes(privilegedGroup);
