// Type checking of ValidatingAdmissionPolicies: finds expressions that cannot work for the kinds the policy matches. The warnings go to
// the status of the policy; nothing is refused.

import {
  type ExpressionWarning,
  type GroupVersionKind,
  type NamedRuleWithOperations,
  parseApiVersion,
  type TypeInfo,
  type ValidatingAdmissionPolicySpec,
} from "@kubewright/api";
import { CelCompileError, type CelType, compileExpression } from "@kubewright/cel";
import {
  admissionVariables,
  ComposedVariables,
  celTypeFromInfo,
  type ExpressionScope,
} from "@kubewright/kinds";

/** A kind and the type info of its objects. */
export interface TypedKind extends GroupVersionKind {
  readonly typeInfo: TypeInfo;
}

/** Finds kinds by the names policies have for them. */
export interface TypedKinds {
  /** The kind behind a resource, by its plural. */
  ofResource(group: string, version: string, plural: string): TypedKind | undefined;
  ofKind(group: string, version: string, kind: string): TypedKind | undefined;
}

/** The number of kinds that are checked. */
const mostKinds = 10;

/** One warning for each expression that has type errors. */
export function checkPolicyTypes(
  spec: ValidatingAdmissionPolicySpec,
  kinds: TypedKinds,
): ExpressionWarning[] {
  const scopes = scopesOf(spec, kinds);
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = "" }, index) => {
    const field = `spec.validations[${index}]`;
    const warnings = warningAbout(expression, scopes, `${field}.expression`);
    if (messageExpression === "") return warnings;
    return [...warnings, ...warningAbout(messageExpression, scopes, `${field}.messageExpression`)];
  });
}

interface KindScope {
  readonly kind: TypedKind;
  readonly scope: ExpressionScope;
}

function scopesOf(spec: ValidatingAdmissionPolicySpec, kinds: TypedKinds): KindScope[] {
  const params = paramsType(spec, kinds);
  const scopes: KindScope[] = [];
  for (const kind of kindsToCheck(spec, kinds)) {
    const object = celTypeFromInfo(kind.typeInfo, kind.kind);
    const base: ExpressionScope = {
      params: params !== undefined,
      authorizer: true,
      types: { object, params },
    };
    const { type: variables } = new ComposedVariables(spec.variables ?? [], base);
    scopes.push({ kind, scope: { ...base, variables } });
  }
  return scopes;
}

function paramsType({ paramKind }: ValidatingAdmissionPolicySpec, kinds: TypedKinds): CelType | undefined {
  const { group, version } = parseApiVersion(paramKind?.apiVersion ?? "") ?? { group: "", version: "" };
  const found = kinds.ofKind(group, version, paramKind?.kind ?? "");
  return found && celTypeFromInfo(found.typeInfo, found.kind);
}

/** The kinds the rules name one by one, in order. */
function kindsToCheck({ matchConstraints }: ValidatingAdmissionPolicySpec, kinds: TypedKinds): TypedKind[] {
  const found = new Map<string, TypedKind>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    for (const kind of kindsOf(rule, kinds)) found.set(describe(kind), kind);
  }
  const order = (a: TypedKind, b: TypedKind): number => (describe(a) < describe(b) ? -1 : 1);
  return [...found.values()].slice(0, mostKinds).sort(order);
}

function kindsOf(
  { apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations,
  kinds: TypedKinds,
): TypedKind[] {
  if (apiGroups.some(isPattern) || apiVersions.some(isPattern)) return [];
  const plurals = resources.filter((resource) => !isPattern(resource) && !resource.includes("/"));
  return apiGroups.flatMap((group) =>
    apiVersions.flatMap((version) =>
      plurals.flatMap((plural) => kinds.ofResource(group, version, plural) ?? []),
    ),
  );
}

const isPattern = (text: string): boolean => text.includes("*");

/** As Go prints it: `apps/v1, Kind=Deployment`. */
const describe = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

function warningAbout(source: string, scopes: readonly KindScope[], fieldRef: string): ExpressionWarning[] {
  const issues: string[] = [];
  for (const { kind, scope } of scopes) {
    const issue = issueWith(source, scope);
    if (issue !== undefined) issues.push(`${describe(kind)}: ${issue}\n`);
  }
  return issues.length === 0 ? [] : [{ fieldRef, warning: issues.join("\n") }];
}

function issueWith(source: string, scope: ExpressionScope): string | undefined {
  try {
    compileExpression(source, { variables: admissionVariables(scope) });
    return undefined;
  } catch (error) {
    if (error instanceof CelCompileError) return error.message;
    throw error;
  }
}
