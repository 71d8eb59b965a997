// Role-based access control: a user may do what the rules of the roles bound to them say.

import { aggregateErrors, goQuote, type PolicyRule, type RoleRef } from "@kubewright/api";
import {
  type Authorizer,
  type HeldRules,
  isPrivileged,
  type RuleResolver,
  roleRules,
  ruleAllows,
  type UserInfo,
} from "@kubewright/kinds";

import type { Storage } from "../../storage/index.js";
import { type Binding, BindingIndex, subjectFor } from "./binding-index.js";

const group = "rbac.authorization.k8s.io";

/** Answers from the roles and bindings in the store, as they are now. */
export class RbacPolicy {
  readonly #storage: Storage;
  readonly #bindings: BindingIndex;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#bindings = new BindingIndex(storage);
  }

  /** Members of system:masters may do everything; others what their bindings say. */
  readonly authorize: Authorizer = (question) => {
    const { user } = question;
    if (isPrivileged(user)) return { allowed: true, reason: "" };
    const missing: RoleRef[] = [];
    for (const binding of this.#boundTo(user, question.kind === "resource" ? question.namespace : "")) {
      const rules = roleRules(this.#storage, binding.roleRef, binding.namespace);
      if (!rules) missing.push(binding.roleRef);
      else if (rules.some((rule) => ruleAllows(rule, question)))
        return { allowed: true, reason: `RBAC: allowed by ${describe(binding, user)}` };
    }
    return { allowed: false, reason: missing.length === 0 ? "" : `RBAC: ${missingRoles(missing)}` };
  };

  readonly rulesFor: RuleResolver = (user, namespace): HeldRules => {
    const rules: PolicyRule[] = [];
    const missing: RoleRef[] = [];
    for (const { roleRef, namespace: home } of new Set(this.#boundTo(user, namespace))) {
      const found = roleRules(this.#storage, roleRef, home);
      if (found) rules.push(...found);
      else missing.push(roleRef);
    }
    return { rules, missing };
  };

  close(): void {
    this.#bindings.close();
  }

  *#boundTo(user: UserInfo, namespace: string): Iterable<Binding> {
    yield* this.#bindings.find("", user);
    if (namespace !== "") yield* this.#bindings.find(namespace, user);
  }
}

/** `clusterrole.rbac.authorization.k8s.io "x" not found`, in brackets when there are several. */
export function missingRoles(missing: readonly RoleRef[]): string {
  const texts = missing.map(({ kind, name }) => `${kind.toLowerCase()}.${group} ${goQuote(name)} not found`);
  return aggregateErrors(texts);
}

function describe(binding: Binding, user: UserInfo): string {
  const { name, namespace, roleRef } = binding;
  const what =
    namespace === ""
      ? `ClusterRoleBinding ${goQuote(name)}`
      : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  const subject = subjectFor(binding, user) ?? { kind: "User", name: user.name };
  const who =
    subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${what} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject.kind} ${goQuote(who)}`;
}
