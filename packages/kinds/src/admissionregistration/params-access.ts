// Policies can reveal their parameters, so a user who writes one must be authorized to read them.
import {
  type FieldError,
  fieldError,
  type ParamKind,
  type ParamRef,
  parseApiVersion,
  type ValidatingAdmissionPolicy,
} from "@kubewright/api";
import { isPrivileged } from "../access.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import type { Strategy } from "../strategy.js";
import type { StrategyContext } from "../strategy-context.js";
import type { UserInfo } from "../user.js";

/** The validation of a policy with a check that its writer may read the parameters, which runs when nothing else is wrong. */
export function withParamAccess(
  validate: (object: DraftObject, old?: StoredObject) => FieldError[],
): Required<Pick<Strategy, "validateCreate" | "validateUpdate">> {
  const allowed = (
    object: DraftObject,
    old: StoredObject | undefined,
    context: StrategyContext,
  ): FieldError[] => {
    const errors = validate(object, old);
    if (errors.length > 0) return [...errors];
    // Both kinds of policies have it in the same place.
    const before = old && storedAs<ValidatingAdmissionPolicy>(old).spec?.paramKind;
    return paramKindAccess(context, draftAs<ValidatingAdmissionPolicy>(object).spec?.paramKind, before);
  };
  return {
    validateCreate: (object, context) => allowed(object, undefined, context),
    validateUpdate: allowed,
  };
}

/** Of a policy, which may be bound to any object of the kind; `before` is what it was allowed for already. */
function paramKindAccess(
  context: StrategyContext,
  paramKind: ParamKind | undefined,
  before: ParamKind | undefined,
): FieldError[] {
  if (!paramKind || isSame(paramKind, before)) return [];
  if (mayGet(context, paramKind, { name: "*", namespace: "*" })) return [];
  const { kind = "", apiVersion = "" } = paramKind;
  const text = `user ${shown(context.user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  return [fieldError.forbidden("spec.paramKind", text)];
}

const isSame = (a: ParamKind, b: ParamKind | undefined): boolean =>
  a.kind === b?.kind && a.apiVersion === b?.apiVersion;

interface BindingSpec {
  readonly policyName?: string | undefined;
  readonly paramRef?: ParamRef | undefined;
}

/** Of a binding, for the objects it names. */
export function paramRefAccess(
  context: StrategyContext,
  policies: "validatingadmissionpolicies" | "mutatingadmissionpolicies",
  { policyName = "", paramRef }: BindingSpec,
): FieldError[] {
  if (!paramRef) return [];
  const policy = context.storage.get(`admissionregistration.k8s.io/${policies}`, policyName);
  const paramKind = policy && storedAs<ValidatingAdmissionPolicy>(policy).spec?.paramKind;
  const { name = "", namespace = "" } = paramRef;
  if (mayGet(context, paramKind, { name, namespace })) return [];
  const text = `user ${shown(context.user)} does not have "get" permission on the object referenced by paramRef`;
  return [fieldError.forbidden("spec.paramRef", text)];
}

/** Where the kind is not known, everything of its group version, or everything there is, must be readable. */
function mayGet(
  { authorizer, pluralOf, user }: StrategyContext,
  paramKind: ParamKind | undefined,
  object: { readonly name: string; readonly namespace: string },
): boolean {
  if (isPrivileged(user)) return true;
  const { group, version } = (paramKind && parseApiVersion(paramKind.apiVersion ?? "")) ?? anything;
  const resource = pluralOf(group, version, paramKind?.kind ?? "") ?? "*";
  const question = {
    kind: "resource",
    user,
    verb: "get",
    group,
    version,
    resource,
    subresource: "",
  } as const;
  return authorizer({ ...question, ...object }).allowed;
}

const anything = { group: "*", version: "*" };

/** As Go prints who someone is. */
function shown({ name, uid = "", groups, extra = {} }: UserInfo): string {
  const more = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${extra[key]?.join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${more.join(" ")}]}`;
}
