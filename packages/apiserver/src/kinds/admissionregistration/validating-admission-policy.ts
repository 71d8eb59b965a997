// ValidatingAdmissionPolicies and their bindings: rules in CEL, and where they hold.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { statusAlone } from "../../registry/status-strategy.js";
import type { RequestContext } from "../../request/context.js";
import type { DraftObject } from "../../request/draft.js";
import type { StoredObject } from "../../storage/index.js";
import { draftAs, storedAs } from "../as-kind.js";
import { countGeneration } from "../count-generation.js";
import { repeated } from "../repeated.js";
import { defaultMatchResources } from "./default-matching.js";
import { paramKindAccess, paramRefAccess } from "./params-access.js";
import { validateBinding, validatePolicyParts } from "./validate-policy-parts.js";
import { validateValidations } from "./validate-validations.js";

function validatePolicy(object: DraftObject, old?: StoredObject): FieldError[] {
  const { metadata, spec = {} } = draftAs<ValidatingAdmissionPolicy>(object);
  const before = old && storedAs<ValidatingAdmissionPolicy>(old).spec;
  const same =
    before !== undefined &&
    deepEqual(spec.paramKind, before.paramKind) &&
    deepEqual(spec.matchConditions, before.matchConditions);
  return [...validatePolicyParts(spec, same), ...validateValidations(spec, metadata?.name ?? "")];
}

/** Who may write it is looked at once nothing else is wrong. */
function validateAllowedPolicy(
  object: DraftObject,
  old: StoredObject | undefined,
  context: RequestContext,
): FieldError[] {
  const errors = validatePolicy(object, old);
  if (errors.length > 0) return errors;
  const before = old && storedAs<ValidatingAdmissionPolicy>(old).spec?.paramKind;
  return paramKindAccess(context, draftAs<ValidatingAdmissionPolicy>(object).spec?.paramKind, before);
}

export const validatingAdmissionPolicies: NativeKind = {
  resource: "validatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: {
    allowUnconditionalUpdate: false,
    applyDefaults(object) {
      const { spec } = draftAs<ValidatingAdmissionPolicy>(object);
      if (!spec) return;
      spec.failurePolicy ??= "Fail";
      defaultMatchResources(spec.matchConstraints);
    },
    validateCreate: (object, context) => validateAllowedPolicy(object, undefined, context),
    validateUpdate: validateAllowedPolicy,
  },
  status: statusAlone,
};

const actions = ["Audit", "Deny", "Warn"];

function validateValidatingBinding(object: DraftObject): FieldError[] {
  const { spec } = draftAs<ValidatingAdmissionPolicyBinding>(object);
  const named: readonly string[] = spec?.validationActions ?? [];
  const field = "spec.validationActions";
  const twice = repeated(named);
  const errors = named.flatMap((action, index) => [
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
  return [...validateBinding(spec ?? {}), ...errors];
}

function validateAllowedBinding(object: DraftObject, context: RequestContext): FieldError[] {
  const errors = validateValidatingBinding(object);
  const spec = draftAs<ValidatingAdmissionPolicyBinding>(object).spec ?? {};
  return errors.length > 0 ? errors : paramRefAccess(context, "validatingadmissionpolicies", spec);
}

export const validatingAdmissionPolicyBindings: NativeKind = {
  resource: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  strategy: {
    ...countGeneration("spec"),
    allowUnconditionalUpdate: false,
    applyDefaults: (object) =>
      defaultMatchResources(draftAs<ValidatingAdmissionPolicyBinding>(object).spec?.matchResources),
    validateCreate: validateAllowedBinding,
    validateUpdate: (object, _old, context) => validateAllowedBinding(object, context),
  },
};
