// Validates the parts that validating and mutating policies share: parameters, match conditions and variables.
import {
  type FieldError,
  fieldError,
  type MatchCondition,
  type MatchResources,
  type ParamKind,
  type ParamRef,
  type Variable,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubewright/api";
import type { ExpressionScope } from "../admission-expressions/admission-types.js";
import { ComposedVariables } from "../admission-expressions/composed-variables.js";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOf } from "../field-rules.js";
import { selectorErrors } from "../selector-errors.js";
import { validateMatchConditions } from "./validate-match-conditions.js";
import { validateMatchResources } from "./validate-match-resources.js";

interface PolicyParts {
  readonly failurePolicy?: string | undefined;
  readonly paramKind?: ParamKind | undefined;
  readonly matchConstraints?: MatchResources | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  readonly variables?: readonly Variable[] | undefined;
}

/** Operations that leave an object to mutate. */
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** The errors of a policy, and the scope of its expressions. */
export interface PolicyPartsReview {
  readonly errors: FieldError[];
  readonly scope: ExpressionScope;
}

/** Looks at everything but what the policy does. Match conditions that did not change are not compiled again. */
export function reviewPolicyParts(
  spec: PolicyParts,
  sameConditions: boolean,
  mutating = false,
): PolicyPartsReview {
  const { paramKind, matchConstraints, variables = [] } = spec;
  const params = paramKind !== undefined;
  const base = { params, authorizer: true };
  const known = new ComposedVariables([], base);
  const errors = [
    ...oneOf(spec.failurePolicy, ["Fail", "Ignore"], "spec.failurePolicy"),
    ...(paramKind ? paramKindErrors(paramKind, "spec.paramKind") : []),
    ...(matchConstraints
      ? constraintErrors(matchConstraints, "spec.matchConstraints")
      : [fieldError.required("spec.matchConstraints")]),
    ...(mutating ? mutatingErrors(matchConstraints, "spec.matchConstraints") : []),
    ...(sameConditions
      ? []
      : validateMatchConditions(spec.matchConditions ?? [], params, "spec.matchConditions")),
  ];
  for (const [index, variable] of variables.entries())
    errors.push(...variableErrors(variable, known, `spec.variables[${index}]`));
  return { errors, scope: variables.length > 0 ? { ...base, variables: known.type } : base };
}

/** Without a rule there would be no types to check expressions against. */
const constraintErrors = (constraints: MatchResources, field: string): FieldError[] => [
  ...validateMatchResources(constraints, field),
  ...((constraints.resourceRules ?? []).length === 0 ? [fieldError.required(`${field}.resourceRules`)] : []),
];

/** The field has no indexes, as on kube-apiserver. */
const mutatingErrors = (constraints: MatchResources | undefined, field: string): FieldError[] =>
  checkEach(constraints?.resourceRules ?? [], ({ operations }) =>
    (operations ?? [])
      .filter((operation) => !mutatingOperations.includes(operation))
      .map((operation) =>
        fieldError.notSupported(`${field}.resourceRules.operations`, operation, mutatingOperations),
      ),
  );

function paramKindErrors({ apiVersion = "", kind = "" }: ParamKind, field: string): FieldError[] {
  const kindProblems = validateDns1035Label(kind.toLowerCase());
  return [
    ...apiVersionErrors(apiVersion, `${field}.apiVersion`),
    ...(kind === "" ? [fieldError.required(`${field}.kind`)] : []),
    ...(kind !== "" && kindProblems.length > 0
      ? [
          fieldError.invalid(
            `${field}.kind`,
            kind,
            `may have mixed case, but should otherwise match: ${kindProblems.join(",")}`,
          ),
        ]
      : []),
  ];
}

function apiVersionErrors(apiVersion: string, field: string): FieldError[] {
  if (apiVersion === "") return [fieldError.required(field)];
  const parts = apiVersion.split("/");
  if (parts.length > 2)
    return [fieldError.invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 2 ? [parts[0] ?? "", parts[1] ?? ""] : ["", apiVersion];
  const groupProblems = group === "" ? [] : validateDns1123Subdomain(group);
  const versionProblems = version === "" ? [] : validateDns1035Label(version);
  return [
    ...(groupProblems.length > 0 ? [fieldError.invalid(field, group, groupProblems.join(","))] : []),
    ...(version === "" ? [fieldError.invalid(field, apiVersion, "version must be specified")] : []),
    ...(versionProblems.length > 0 ? [fieldError.invalid(field, version, versionProblems.join(","))] : []),
  ];
}

const reserved =
  /^(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

function variableErrors(variable: Variable, before: ComposedVariables, field: string): FieldError[] {
  const { name, expression } = variable;
  const { error } = before.add(variable);
  const errors: FieldError[] = [];
  if (name.trim() === "") errors.push(fieldError.required(`${field}.name`, "name is not specified"));
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reserved.test(name))
    errors.push(fieldError.invalid(`${field}.name`, name, "must be a valid CEL identifier"));
  if (expression.trim() === "")
    return [...errors, fieldError.required(`${field}.expression`, "expression is not specified")];
  if (error !== undefined) errors.push(fieldError.invalid(`${field}.expression`, expression, error));
  return errors;
}

/** Problems with the reference of a binding to its parameters. */
function validateParamRef(reference: ParamRef, field: string): FieldError[] {
  const { name = "", selector, parameterNotFoundAction } = reference;
  const exclusive = "name and selector are mutually exclusive";
  return [
    ...(name === "" ? [] : invalidBecause(validatePathSegmentName(name), name, `${field}.name`)),
    ...(name !== "" && selector ? [fieldError.forbidden(`${field}.name`, exclusive)] : []),
    ...selectorErrors(selector, `${field}.selector`),
    ...(name !== "" && selector ? [fieldError.forbidden(`${field}.selector`, exclusive)] : []),
    ...(name === "" && !selector
      ? [fieldError.required(field, "one of name or selector must be specified")]
      : []),
    ...oneOf(parameterNotFoundAction, ["Deny", "Allow"], `${field}.parameterNotFoundAction`),
  ];
}

/** Problems with what every binding has. */
export function validateBinding(spec: {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
}): FieldError[] {
  const { policyName = "", paramRef, matchResources } = spec;
  const field = "spec.policyName";
  return [
    ...(policyName === ""
      ? [fieldError.required(field)]
      : invalidBecause(validateDns1123Subdomain(policyName), policyName, field)),
    ...(paramRef ? validateParamRef(paramRef, "spec.paramRef") : []),
    ...(matchResources ? validateMatchResources(matchResources, "spec.matchResources") : []),
  ];
}
