// `authorizer.group('apps').resource('deployments').check('create').allowed()`: questions about what the user behind a request may
// do. Who evaluates an expression binds the variables, and answers.
import { validateDns1123Label, validateDns1123Subdomain } from "@kubewright/api";
import { fixed } from "../cost.js";
import { type Costs, declare, type Library, memberOverload } from "../declarations.js";
import { isString, on1, on2, on3 } from "../guards.js";
import { boolType, opaqueType, stringType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { OpaqueValue } from "../values/opaque.js";

/** The service account whose permissions are checked instead of the user's. */
export interface CelServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** A resource, as far as an expression has named it; what it has not is empty. */
export interface CelResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** An authorization check of an expression. */
export type CelAccessCheck = {
  readonly verb: string;
  readonly serviceAccount: CelServiceAccount | undefined;
} & ({ readonly kind: "path"; readonly path: string } | ({ readonly kind: "resource" } & CelResource));

/** The decision of the authorizer. */
export interface CelDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Empty unless the question could not be answered. */
  readonly error: string;
}

/** Answers the questions of an expression. */
export type CelAuthorizer = (check: CelAccessCheck) => CelDecision;

abstract class AuthorizationValue extends OpaqueValue {
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

class AuthorizerValue extends AuthorizationValue {
  readonly typeName = "kubernetes.authorization.Authorizer";
  readonly decide: CelAuthorizer;
  readonly serviceAccount: CelServiceAccount | undefined;

  constructor(decide: CelAuthorizer, serviceAccount?: CelServiceAccount) {
    super();
    this.decide = decide;
    this.serviceAccount = serviceAccount;
  }
}

class PathCheckValue extends AuthorizationValue {
  readonly typeName = "kubernetes.authorization.PathCheck";
  readonly by: AuthorizerValue;
  readonly path: string;

  constructor(by: AuthorizerValue, path: string) {
    super();
    this.by = by;
    this.path = path;
  }

  check(verb: string): DecisionValue {
    const { decide, serviceAccount } = this.by;
    return new DecisionValue(decide({ kind: "path", serviceAccount, path: this.path, verb }));
  }
}

class GroupCheckValue extends AuthorizationValue {
  readonly typeName = "kubernetes.authorization.GroupCheck";
  readonly by: AuthorizerValue;
  readonly group: string;

  constructor(by: AuthorizerValue, group: string) {
    super();
    this.by = by;
    this.group = group;
  }
}

class ResourceCheckValue extends AuthorizationValue {
  readonly typeName = "kubernetes.authorization.ResourceCheck";
  readonly by: AuthorizerValue;
  readonly resource: CelResource;

  constructor(by: AuthorizerValue, resource: CelResource) {
    super();
    this.by = by;
    this.resource = resource;
  }

  with(change: Partial<CelResource>): ResourceCheckValue {
    return new ResourceCheckValue(this.by, { ...this.resource, ...change });
  }

  check(verb: string): DecisionValue {
    const { decide, serviceAccount } = this.by;
    return new DecisionValue(decide({ kind: "resource", serviceAccount, ...this.resource, verb }));
  }
}

class DecisionValue extends AuthorizationValue {
  readonly typeName = "kubernetes.authorization.Decision";
  readonly decision: CelDecision;

  constructor(decision: CelDecision) {
    super();
    this.decision = decision;
  }
}

const named = (name: string) => opaqueType(`kubernetes.authorization.${name}`);
/** The type of the variable `authorizer`. */
export const authorizerType = named("Authorizer");
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType = named("ResourceCheck");
const pathCheckType = named("PathCheck");
const groupCheckType = named("GroupCheck");
const decisionType = named("Decision");

/** The value of the variable `authorizer`. */
export const celAuthorizer = (decide: CelAuthorizer): unknown => new AuthorizerValue(decide);

const unnamed = { subresource: "", namespace: "", name: "", fieldSelector: "", labelSelector: "" };

/** The value of the variable `authorizer.requestResource`. */
export const celResourceCheck = (
  decide: CelAuthorizer,
  resource: Pick<CelResource, "group" | "resource"> & Partial<CelResource>,
): unknown => new ResourceCheckValue(new AuthorizerValue(decide), { ...unnamed, ...resource });

const isAuthorizer = (value: unknown): value is AuthorizerValue => value instanceof AuthorizerValue;
const isGroupCheck = (value: unknown): value is GroupCheckValue => value instanceof GroupCheckValue;
const isResourceCheck = (value: unknown): value is ResourceCheckValue => value instanceof ResourceCheckValue;
const isDecision = (value: unknown): value is DecisionValue => value instanceof DecisionValue;
const isPathCheck = (value: unknown): value is PathCheckValue => value instanceof PathCheckValue;

function present(text: string, what: string): string {
  if (text.trim() === "") throw new CelFailure(`${what} must not be empty`);
  return text;
}

function asServiceAccount({ decide }: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (validateDns1123Subdomain(name).length > 0) throw new CelFailure("Invalid service account name");
  if (validateDns1123Label(namespace).length > 0) throw new CelFailure("Invalid service account namespace");
  return new AuthorizerValue(decide, { namespace, name });
}

/** Two questions fit into one expression, no third. */
const checkPrice = 350_000;
const costsMuch: Costs = { cost: () => checkPrice, estimate: () => ({ cost: fixed(checkPrice) }) };

const narrowing = (name: keyof CelResource, id: string) =>
  declare(
    name,
    memberOverload(
      id,
      [resourceCheckType, stringType],
      resourceCheckType,
      on2(isResourceCheck, isString, (check, text) => check.with({ [name]: text })),
    ),
  );

const decisionMember = (name: string, read: (decision: CelDecision) => unknown, type = stringType) =>
  declare(
    name,
    memberOverload(
      `decision_${name}`,
      [decisionType],
      type,
      on1(isDecision, ({ decision }) => read(decision)),
    ),
  );

/** Kubernetes' functions to ask for rights. */
export const authorizationLibrary: Library = {
  functions: [
    declare(
      "path",
      memberOverload(
        "authorizer_path",
        [authorizerType, stringType],
        pathCheckType,
        on2(isAuthorizer, isString, (by, path) => new PathCheckValue(by, present(path, "path"))),
      ),
    ),
    declare(
      "group",
      memberOverload(
        "authorizer_group",
        [authorizerType, stringType],
        groupCheckType,
        on2(isAuthorizer, isString, (by, group) => new GroupCheckValue(by, group)),
      ),
    ),
    declare(
      "serviceAccount",
      memberOverload(
        "authorizer_serviceaccount",
        [authorizerType, stringType, stringType],
        authorizerType,
        on3(isAuthorizer, isString, isString, asServiceAccount),
      ),
    ),
    declare(
      "resource",
      memberOverload(
        "groupcheck_resource",
        [groupCheckType, stringType],
        resourceCheckType,
        on2(isGroupCheck, isString, ({ by, group }, resource) => {
          return new ResourceCheckValue(by, { ...unnamed, group, resource: present(resource, "resource") });
        }),
      ),
    ),
    narrowing("subresource", "resourcecheck_subresource"),
    narrowing("namespace", "resourcecheck_namespace"),
    narrowing("name", "resourcecheck_name"),
    narrowing("fieldSelector", "authorizer_fieldselector"),
    narrowing("labelSelector", "authorizer_labelselector"),
    declare(
      "check",
      memberOverload(
        "pathcheck_check",
        [pathCheckType, stringType],
        decisionType,
        on2(isPathCheck, isString, (check, verb) => check.check(verb)),
        costsMuch,
      ),
      memberOverload(
        "resourcecheck_check",
        [resourceCheckType, stringType],
        decisionType,
        on2(isResourceCheck, isString, (check, verb) => check.check(verb)),
        costsMuch,
      ),
    ),
    decisionMember("errored", ({ error }) => error !== "", boolType),
    decisionMember("error", ({ error }) => error),
    decisionMember("allowed", ({ allowed }) => allowed, boolType),
    decisionMember("reason", ({ reason }) => reason),
  ],
};
