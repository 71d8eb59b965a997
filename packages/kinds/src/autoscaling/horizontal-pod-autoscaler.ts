// Horizontal pod autoscalers, served in two versions and checked in the newer one.
import {
  Amount,
  cloneJson,
  type FieldError,
  fieldError,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type HPAScalingPolicy,
  type HPAScalingRules,
} from "@kubewright/api";
import { validateCounts } from "../apps/status-counts.js";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { negativeText, oneOfIfSet } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { autoscalerConversion, autoscalerInVersion, toV2 } from "./convert-v1.js";
import { defaultAutoscaler } from "./default-autoscaler.js";
import {
  type ReferenceOptions,
  validateMetric,
  validateReference,
  versionProblem,
} from "./validate-metric.js";

const maxPeriod = 1800;
const maxWindow = 3600;
const none: HorizontalPodAutoscalerSpec = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 };

const specOf = (object: DraftObject): HorizontalPodAutoscalerSpec =>
  draftAs<HorizontalPodAutoscaler>(toV2(object)).spec ?? none;

function validateSpec(spec: HorizontalPodAutoscalerSpec, before?: HorizontalPodAutoscalerSpec): FieldError[] {
  const { minReplicas, maxReplicas, metrics = [] } = spec;
  const least = before?.minReplicas === 0 ? 0 : 1;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < least)
    errors.push(
      fieldError.invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${least}`),
    );
  if (maxReplicas < 1) errors.push(maxReplicasError(maxReplicas));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    const text = "must be greater than or equal to `minReplicas`";
    errors.push(fieldError.invalid("spec.maxReplicas", maxReplicas, text));
  }
  errors.push(
    ...validateReference(spec.scaleTargetRef, referenceOptions(spec, before), "spec.scaleTargetRef"),
    ...checkEach(metrics, (metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
  );
  const measuresFromOutside = metrics.some(({ type }) => type === "Object" || type === "External");
  if (minReplicas === 0 && !measuresFromOutside) {
    const text = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(fieldError.forbidden("spec.metrics", text));
  }
  return [
    ...errors,
    ...rulesErrors(spec.behavior?.scaleUp, "spec.behavior.scaleUp"),
    ...rulesErrors(spec.behavior?.scaleDown, "spec.behavior.scaleDown"),
  ];
}

/** Zero is what is left when nobody sets it. */
const maxReplicasError = (value: number): FieldError =>
  value === 0
    ? fieldError.required("spec.maxReplicas", "must be set and greater than 0")
    : fieldError.invalid("spec.maxReplicas", value, "must be greater than or equal to 1");

/** A stored autoscaler may keep a reference that is invalid today. */
function referenceOptions(
  { scaleTargetRef }: HorizontalPodAutoscalerSpec,
  before: HorizontalPodAutoscalerSpec | undefined,
): ReferenceOptions {
  const allowCore = scaleTargetRef.kind === "ReplicationController";
  const old = before?.scaleTargetRef.apiVersion ?? "";
  const anyVersion = before !== undefined && versionProblem(old, { allowCore }) !== undefined;
  return { allowCore, anyVersion };
}

function rulesErrors(rules: HPAScalingRules | undefined, field: string): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window, policies = [], tolerance } = rules;
  const at = `${field}.stabilizationWindowSeconds`;
  const errors: FieldError[] = [];
  if (window !== undefined && window < 0)
    errors.push(fieldError.invalid(at, window, "must be greater than or equal to zero"));
  if (window !== undefined && window > maxWindow)
    errors.push(fieldError.invalid(at, window, `must be less than or equal to ${maxWindow}`));
  errors.push(...oneOfIfSet(rules.selectPolicy, ["Disabled", "Max", "Min"], `${field}.selectPolicy`));
  if (policies.length === 0)
    errors.push(fieldError.required(`${field}.policies`, "must specify at least one Policy"));
  errors.push(...checkEach(policies, (policy, index) => policyErrors(policy, `${field}.policies[${index}]`)));
  if (tolerance !== undefined && Amount.parse(tolerance).sign() < 0)
    errors.push(fieldError.invalid(`${field}.tolerance`, String(tolerance), negativeText));
  return errors;
}

function policyErrors({ type, value, periodSeconds }: HPAScalingPolicy, field: string): FieldError[] {
  const errors = oneOfIfSet(type, ["Percent", "Pods"], `${field}.type`);
  const positive = "must be greater than zero";
  if (value <= 0) errors.push(fieldError.invalid(`${field}.value`, value, positive));
  if (periodSeconds <= 0) errors.push(fieldError.invalid(`${field}.periodSeconds`, periodSeconds, positive));
  if (periodSeconds > maxPeriod)
    errors.push(
      fieldError.invalid(
        `${field}.periodSeconds`,
        periodSeconds,
        `must be less than or equal to ${maxPeriod}`,
      ),
    );
  return errors;
}

/** Autoscalers. */
export const horizontalPodAutoscalers: BuiltInKind = {
  resource: "horizontalpodautoscalers.autoscaling",
  strategy: {
    hasGeneration: false,
    applyDefaults: defaultAutoscaler,
    validateCreate: (object) => validateSpec(specOf(object)),
    validateUpdate: (object, old: StoredObject) => validateSpec(specOf(object), specOf(cloneJson(old))),
  },
  status: {
    validateUpdate: (object) =>
      validateCounts(draftAs<HorizontalPodAutoscaler>(object).status ?? {}, [
        "currentReplicas",
        "desiredReplicas",
      ]),
  },
  conversions: { v1: autoscalerConversion },
  toVersion: autoscalerInVersion,
};
