// Pod disruption budgets.
import {
  type FieldError,
  fieldError,
  type PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
} from "@kubewright/api";
import { validateCounts } from "../apps/status-counts.js";
import type { BuiltInKind } from "../built-in-kind.js";
import { atMostAllOfThem, intOrPercent, oneOfIfSet } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { selectorErrors } from "../selector-errors.js";
import { validateConditions } from "../validate-conditions.js";

function validateSpec(spec: PodDisruptionBudgetSpec): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined ? [bothSet(spec)] : []),
    ...amountErrors(minAvailable, "spec.minAvailable"),
    ...amountErrors(maxUnavailable, "spec.maxUnavailable"),
    ...selectorErrors(selector ?? undefined, "spec.selector"),
    ...oneOfIfSet(
      unhealthyPodEvictionPolicy,
      ["AlwaysAllow", "IfHealthyBudget"],
      "spec.unhealthyPodEvictionPolicy",
    ),
  ];
}

function bothSet(spec: PodDisruptionBudgetSpec): FieldError {
  const shown = {
    MinAvailable: spec.minAvailable,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
  return fieldError.invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set");
}

const amountErrors = (amount: number | string | undefined, field: string): FieldError[] =>
  amount === undefined ? [] : [...intOrPercent(amount, field), ...atMostAllOfThem(amount, field)];

const validate = (object: DraftObject): FieldError[] =>
  validateSpec(draftAs<PodDisruptionBudget>(object).spec ?? {});

function validateStatus(object: DraftObject): FieldError[] {
  const { status } = draftAs<PodDisruptionBudget>(object);
  return [
    ...validateConditions(status?.conditions, "status.conditions"),
    ...validateCounts(status ?? {}, [
      "disruptionsAllowed",
      "currentHealthy",
      "desiredHealthy",
      "expectedPods",
    ]),
  ];
}

/** Pod disruption budgets. */
export const podDisruptionBudgets: BuiltInKind = {
  resource: "poddisruptionbudgets.policy",
  strategy: {
    allowUnconditionalUpdate: false,
    metadata: { validator: "none" },
    validateCreate: validate,
    validateUpdate: validate,
  },
  status: { validateUpdate: validateStatus },
};
