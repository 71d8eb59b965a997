// Deployments.
import {
  cloneJson,
  type Deployment,
  type DeploymentSpec,
  type DeploymentStatus,
  type Draft,
  deepEqual,
  type FieldError,
  fieldError,
  type LabelSelector,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { amountOf, atMostAllOfThem, immutable, intOrPercent, notNegative } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { shownSelector } from "../shown-value.js";
import { bumpGeneration } from "../status-strategy.js";
import { validateReplicaSpec } from "./replica-template.js";
import { validateCollisions, validateCounts, validateParts } from "./status-counts.js";
import { matcherOf } from "./workload-selector.js";
import { isNewGeneration, nameWarnings, templateWarnings } from "./workload-warnings.js";

function applyDefaults(object: DraftObject): void {
  const { spec } = draftAs<Deployment>(object);
  if (!spec) return;
  spec.replicas ??= 1;
  spec.strategy ??= {};
  defaultStrategy(spec.strategy);
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  defaultPodTemplate(spec.template);
}

function defaultStrategy(strategy: NonNullable<Draft<DeploymentSpec>["strategy"]>): void {
  strategy.type ||= "RollingUpdate";
  if (strategy.type !== "RollingUpdate") return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= "25%";
  strategy.rollingUpdate.maxSurge ??= "25%";
}

/** Annotations count as a new generation too: `kubectl rollout` once steered deployments through them. */
function prepareForUpdate(object: DraftObject, old: StoredObject): void {
  if (!deepEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
    bumpGeneration(object, old);
}

function validateSpec(spec: DeploymentSpec): FieldError[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  const errors = [
    ...notNegative(spec.replicas, "spec.replicas"),
    ...validateReplicaSpec(spec, "spec"),
    ...validateStrategy(spec.strategy ?? {}),
    ...notNegative(minReadySeconds, "spec.minReadySeconds"),
    ...notNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...notNegative(deadline, "spec.progressDeadlineSeconds"),
  ];
  if (deadline !== undefined && deadline <= minReadySeconds)
    errors.push(
      fieldError.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"),
    );
  return errors;
}

function validateStrategy({ type, rollingUpdate }: NonNullable<DeploymentSpec["strategy"]>): FieldError[] {
  const field = "spec.strategy.rollingUpdate";
  if (type === "Recreate") {
    if (!rollingUpdate) return [];
    return [fieldError.forbidden(field, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== "RollingUpdate") {
    const { maxUnavailable: MaxUnavailable = 0, maxSurge: MaxSurge = 0 } = rollingUpdate ?? {};
    const shown = { Type: type ?? "", RollingUpdate: rollingUpdate ? { MaxUnavailable, MaxSurge } : null };
    return [fieldError.notSupported("spec.strategy", shown, ["Recreate", "RollingUpdate"])];
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const errors = [
    ...intOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    const text = "may not be 0 when `maxSurge` is 0";
    errors.push(fieldError.invalid(`${field}.maxUnavailable`, maxUnavailable, text));
  }
  return [...errors, ...atMostAllOfThem(maxUnavailable, `${field}.maxUnavailable`)];
}

const parts = ["updatedReplicas", "readyReplicas", "availableReplicas"];

function validateStatus(now: Partial<DeploymentStatus>, before: Partial<DeploymentStatus>): FieldError[] {
  const others = ["unavailableReplicas", "terminatingReplicas", "collisionCount"];
  const counts = ["observedGeneration", "replicas", ...parts, ...others];
  return [
    ...validateCounts(now, counts),
    ...validateParts(now, parts, "replicas"),
    ...validateParts(now, ["availableReplicas"], "readyReplicas", "readyReplicas"),
    ...validateCollisions(now, before),
  ];
}

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const template = draftAs<Deployment>(object).spec?.template;
  if (!old) return [...nameWarnings(object.metadata), ...templateWarnings(template, "spec.template")];
  return isNewGeneration(object, old) ? templateWarnings(template, "spec.template") : [];
}

/** The selector of a workload as a query. */
export const selectorText = (selector: LabelSelector | undefined): string | undefined =>
  matcherOf(selector)?.toString();

/** An empty spec, for objects that came without one. */
const none: DeploymentSpec = { selector: {}, template: {} };

/** Deployments and their scale. */
export const deployments: BuiltInKind = {
  resource: "deployments.apps",
  strategy: {
    applyDefaults,
    prepareForUpdate,
    validateCreate: (object) => validateSpec(draftAs<Deployment>(object).spec ?? none),
    validateUpdate(object, old) {
      const now = draftAs<Deployment>(object).spec ?? none;
      const before = storedAs<Deployment>(old).spec ?? none;
      return [
        ...validateSpec(now),
        ...immutable(now.selector, before.selector, "spec.selector", shownSelector(now.selector)),
      ];
    },
    warnings,
  },
  status: {
    resetFields: ["spec", "metadata.labels"],
    prepareForUpdate: keepLabels,
    validateUpdate: (object, old) =>
      validateStatus(draftAs<Deployment>(object).status ?? {}, storedAs<Deployment>(old).status ?? {}),
  },
  scaleSelector: (object) => selectorText(storedAs<Deployment>(object).spec?.selector),
};

function keepLabels({ metadata }: DraftObject, old: StoredObject): void {
  if (old.metadata.labels) metadata.labels = cloneJson(old.metadata.labels);
  else delete metadata.labels;
}
