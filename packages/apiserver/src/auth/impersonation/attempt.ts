// One way of acting as someone else: allowed when every part of that identity, and where it is constrained the act
// itself, is.

import { goQuote, joinFieldErrors, validateDomainPrefixedPath } from "@kubewright/api";
import {
  type AccessQuestion,
  type Authorizer,
  privilegedGroup,
  type ResourceQuestion,
  type UserInfo,
} from "@kubewright/kinds";

import { accessDenied, demand } from "../authorizer.js";
import { serviceAccountGroups } from "../service-account-tokens.js";
import { accountName, type ImpersonationMode, nodeName } from "./modes.js";
import type { WantedUser } from "./wanted-user.js";

/** From this many values on, the right to all of them is asked about first. */
const many = 4;

/** One way of becoming a user, tried. */
export class ImpersonationAttempt {
  readonly #authorizer: Authorizer;
  readonly #mode: string;
  readonly #question: AccessQuestion;

  constructor(authorizer: Authorizer, { name }: ImpersonationMode, question: AccessQuestion) {
    this.#authorizer = authorizer;
    this.#mode = name;
    this.#question = question;
  }

  become(wanted: WantedUser): UserInfo {
    if (this.#constrained) {
      const verb = `impersonate-on:${this.#mode}:${this.#question.verb}`;
      demand(this.#authorizer, { ...this.#question, verb });
    }
    const groups = this.#authorizeName(wanted);
    if (wanted.uid !== "") this.#ask("authentication.k8s.io", "uids", wanted.uid);
    this.#authorizeGroups(wanted.groups);
    this.#authorizeExtra(wanted.extra);
    return {
      name: wanted.name,
      ...(wanted.uid === "" ? {} : { uid: wanted.uid }),
      groups: completeGroups(wanted.name, groups),
      ...(wanted.extra.size === 0 ? {} : { extra: Object.fromEntries(wanted.extra) }),
    };
  }

  get #constrained(): boolean {
    return this.#mode !== "";
  }

  /** The groups the user is in: those of nodes and service accounts are known. */
  #authorizeName({ name, groups }: WantedUser): readonly string[] {
    const account = accountName(name);
    const node = this.#constrained ? nodeName(name) : undefined;
    if (account) {
      this.#ask(this.#userGroup, "serviceaccounts", account.name, { namespace: account.namespace });
      return groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
    }
    if (node !== undefined) {
      // A user who may impersonate the node it runs on may impersonate any node it will run on.
      this.#ask(this.#userGroup, "nodes", this.#mode === "associated-node" ? "*" : node);
      return ["system:nodes"];
    }
    this.#ask(this.#userGroup, "users", name);
    return groups;
  }

  #authorizeGroups(groups: readonly string[]): void {
    if (this.#constrained) {
      if (groups.includes(""))
        this.#refuse("groups", "", "impersonating the empty string group is not allowed");
      if (groups.includes(privilegedGroup))
        this.#refuse("groups", privilegedGroup, "impersonating the system:masters group is not allowed");
      if (groups.length >= many && this.#may(this.#userGroup, "groups", "*")) return;
    }
    for (const group of groups) this.#ask(this.#userGroup, "groups", group);
  }

  #authorizeExtra(extra: WantedUser["extra"]): void {
    const values = [...extra].flatMap(([key, list]) => list.map((value) => [key, value] as const));
    if (this.#constrained) {
      const problem = [...extra]
        .map(([key, list]) => extraProblem(key, list))
        .find((text) => text !== undefined);
      if (problem !== undefined) this.#refuse("userextras", "", problem);
      const star = { subresource: "*" };
      if (
        Math.max(extra.size, values.length) >= many &&
        this.#may("authentication.k8s.io", "userextras", "*", star)
      )
        return;
    }
    for (const [subresource, value] of values)
      this.#ask("authentication.k8s.io", "userextras", value, { subresource });
  }

  /** Users and groups belong to authentication; the old way looks for them in the core group. */
  get #userGroup(): string {
    return this.#constrained ? "authentication.k8s.io" : "";
  }

  #ask(group: string, resource: string, name: string, more: Partial<ResourceQuestion> = {}): void {
    demand(this.#authorizer, this.#identityQuestion(group, resource, name, more));
  }

  #may(group: string, resource: string, name: string, more: Partial<ResourceQuestion> = {}): boolean {
    return this.#authorizer(this.#identityQuestion(group, resource, name, more)).allowed;
  }

  #refuse(resource: "groups" | "userextras", name: string, text: string): never {
    throw accessDenied(this.#identityQuestion("authentication.k8s.io", resource, name, {}), text);
  }

  #identityQuestion(
    group: string,
    resource: string,
    name: string,
    more: Partial<ResourceQuestion>,
  ): ResourceQuestion {
    return {
      kind: "resource",
      user: this.#question.user,
      verb: this.#constrained ? `impersonate:${this.#mode}` : "impersonate",
      group,
      version: "v1",
      resource,
      subresource: "",
      namespace: "",
      name,
      ...more,
    };
  }
}

/** Everyone is either authenticated or not. */
function completeGroups(name: string, groups: readonly string[]): readonly string[] {
  const nobody = "system:unauthenticated";
  if (name !== "system:anonymous" && groups.includes(nobody)) return groups;
  const wanted = name === "system:anonymous" ? nobody : "system:authenticated";
  return groups.includes(wanted) ? groups : [...groups, wanted];
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const errors = validateDomainPrefixedPath(key, "extra.key");
  if (errors.length > 0)
    return `impersonating an invalid key in extra is not allowed: ${joinFieldErrors(errors)}`;
  if (key !== key.toLowerCase())
    return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
  return values.includes("") ? "impersonating the empty string value in extra is not allowed" : undefined;
}
