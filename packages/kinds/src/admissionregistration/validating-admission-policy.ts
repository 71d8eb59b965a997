// ValidatingAdmissionPolicies and their bindings: rules in CEL, and where they hold.
import {
  deepEqual,
  type ExpressionWarning,
  type FieldError,
  fieldError,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { requiredText } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { repeated } from "../repeated.js";
import { statusAlone } from "../status-strategy.js";
import { parseJsonPath } from "../tables/json-path-parser.js";
import { validateConditions } from "../validate-conditions.js";
import { defaultMatchResources } from "./default-matching.js";
import { withParamAccess } from "./params-access.js";
import { policyBindings } from "./policy-bindings.js";
import { reviewPolicyParts } from "./validate-policy-parts.js";
import { validateValidations } from "./validate-validations.js";

function validatePolicy(object: DraftObject, old?: StoredObject): FieldError[] {
  const { metadata, spec = {} } = draftAs<ValidatingAdmissionPolicy>(object);
  const before = old && storedAs<ValidatingAdmissionPolicy>(old).spec;
  const same =
    before !== undefined &&
    deepEqual(spec.paramKind, before.paramKind) &&
    deepEqual(spec.matchConditions, before.matchConditions);
  const { errors, scope } = reviewPolicyParts(spec, same);
  return [...errors, ...validateValidations(spec, scope, metadata?.name ?? "")];
}

function expressionWarningErrors({ warning, fieldRef }: ExpressionWarning, field: string): FieldError[] {
  const path = fieldRef.trim();
  const errors = requiredText(warning, `${field}.warning`);
  if (path === "") return [...errors, fieldError.required(`${field}.fieldRef`)];
  // kube-apiserver's JSONPath begins with a name or with a dot, and its own controller writes names.
  if (parseJsonPath(/^\w/.test(path) ? `.${path}` : path)) return errors;
  return [...errors, fieldError.invalid(`${field}.fieldRef`, path, "invalid JSONPath")];
}

export const validatingAdmissionPolicies: BuiltInKind = {
  resource: "validatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: {
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery", onUpdate: ["object"] },
    applyDefaults(object) {
      const { spec } = draftAs<ValidatingAdmissionPolicy>(object);
      if (!spec) return;
      spec.failurePolicy ??= "Fail";
      defaultMatchResources(spec.matchConstraints);
    },
    ...withParamAccess(validatePolicy),
  },
  status: {
    ...statusAlone,
    validateUpdate(object) {
      const { typeChecking, conditions } = draftAs<ValidatingAdmissionPolicy>(object).status ?? {};
      return [
        ...checkEach(typeChecking?.expressionWarnings ?? [], (warning, index) =>
          expressionWarningErrors(warning, `status.typeChecking.expressionWarnings[${index}]`),
        ),
        ...validateConditions(conditions, "status.conditions"),
      ];
    },
  },
};

const actions = ["Audit", "Deny", "Warn"];

function actionErrors(object: DraftObject): FieldError[] {
  const { spec } = draftAs<ValidatingAdmissionPolicyBinding>(object);
  const named: readonly string[] = spec?.validationActions ?? [];
  const field = "spec.validationActions";
  const twice = repeated(named);
  const errors = checkEach(named, (action, index) => [
    ...(actions.includes(action) ? [] : [fieldError.notSupported(`${field}[${index}]`, action, actions)]),
    ...(twice.has(index) ? [fieldError.duplicate(`${field}[${index}]`, action)] : []),
  ]);
  if (named.includes("Deny") && named.includes("Warn")) {
    const text =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(fieldError.invalid(field, named, text));
  }
  if (named.length === 0)
    errors.push(fieldError.required(field, "at least one validation action is required"));
  return errors;
}

export const validatingAdmissionPolicyBindings = policyBindings("validating", actionErrors);
