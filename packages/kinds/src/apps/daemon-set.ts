// Daemon sets. Their template has a generation of its own, which the current API shows as an annotation.
import {
  type DaemonSet,
  type DaemonSetSpec,
  type DaemonSetStatus,
  deepEqual,
  type FieldError,
  fieldError,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { amountOf, atMostAllOfThem, immutable, intOrPercent, notNegative } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { validatePodTemplate } from "../pod/validate-pod-template.js";
import { selectorErrors } from "../selector-errors.js";
import { shownSelector } from "../shown-value.js";
import { validateEndless } from "./replica-template.js";
import { validateCollisions, validateCounts } from "./status-counts.js";
import { isEmptySelector, matcherOf, mismatchErrors } from "./workload-selector.js";
import { isNewGeneration, templateWarnings } from "./workload-warnings.js";

const templateGeneration = "deprecated.daemonset.template.generation";
const none: DaemonSetSpec = { selector: {}, template: {} };
const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

function applyDefaults(object: DraftObject): void {
  const { spec } = draftAs<DaemonSet>(object);
  object.metadata.annotations = { [templateGeneration]: "0", ...object.metadata.annotations };
  if (!spec) return;
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= 1;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}

function generationOf({ metadata }: DraftObject | StoredObject): number {
  const generation = Number(metadata.annotations?.[templateGeneration] ?? 0);
  return Number.isSafeInteger(generation) ? generation : 0;
}

const setGeneration = ({ metadata }: DraftObject, generation: number): void => {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
};

function prepareForUpdate(object: DraftObject, old: StoredObject): void {
  const now = draftAs<DaemonSet>(object).spec?.template;
  const before = storedAs<DaemonSet>(old).spec?.template;
  setGeneration(object, generationOf(old) + (deepEqual(now, before) ? 0 : 1));
}

function validateSpec(spec: DaemonSetSpec): FieldError[] {
  const { selector, template } = spec;
  const matcher = matcherOf(selector);
  return [
    ...selectorErrors(selector ?? undefined, "spec.selector"),
    ...(matcher ? mismatchErrors(matcher, template, "spec.template") : []),
    ...(isEmptySelector(selector)
      ? [fieldError.invalid("spec.selector", selector, "empty selector is invalid for daemonset")]
      : []),
    ...validatePodTemplate(template ?? {}, "spec.template"),
    ...validateEndless(template, "DaemonSet", "spec.template"),
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...validateStrategy(spec.updateStrategy ?? {}),
    ...notNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
  ];
}

function validateStrategy({
  type,
  rollingUpdate,
}: NonNullable<DaemonSetSpec["updateStrategy"]>): FieldError[] {
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = {
      Type: type ?? "",
      RollingUpdate: rollingUpdate
        ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
        : null,
    };
    return [fieldError.notSupported("spec.updateStrategy", shown, ["RollingUpdate", "OnDelete"])];
  }
  const field = "spec.updateStrategy.rollingUpdate";
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const errors = [
    ...intOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${field}.maxSurge`),
    ...atMostAllOfThem(maxUnavailable, `${field}.maxUnavailable`),
    ...atMostAllOfThem(maxSurge, `${field}.maxSurge`),
  ];
  const unavailable = amountOf(maxUnavailable) !== 0;
  const surge = amountOf(maxSurge) !== 0;
  if (unavailable && surge)
    errors.push(
      fieldError.invalid(`${field}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"),
    );
  if (!unavailable && !surge)
    errors.push(fieldError.required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  return errors;
}

const validateStatus = (now: Partial<DaemonSetStatus>, before: Partial<DaemonSetStatus>): FieldError[] => [
  ...validateCounts(now, counts),
  ...validateCollisions(now, before),
];

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  if (old && !isNewGeneration(object, old)) return [];
  return templateWarnings(draftAs<DaemonSet>(object).spec?.template, "spec.template");
}

/** Daemon sets. */
export const daemonSets: BuiltInKind = {
  resource: "daemonsets.apps",
  strategy: {
    applyDefaults,
    prepareForCreate: (object) => setGeneration(object, Math.max(1, generationOf(object))),
    prepareForUpdate,
    validateCreate: (object) => validateSpec(draftAs<DaemonSet>(object).spec ?? none),
    validateUpdate(object, old) {
      const now = draftAs<DaemonSet>(object).spec ?? none;
      const before = storedAs<DaemonSet>(old).spec ?? none;
      return [
        ...immutable(now.selector, before.selector, "spec.selector", shownSelector(now.selector)),
        ...validateSpec(now),
      ];
    },
    warnings,
  },
  status: {
    prepareForUpdate: (object, old) => setGeneration(object, generationOf(old)),
    validateUpdate: (object, old) =>
      validateStatus(draftAs<DaemonSet>(object).status ?? {}, storedAs<DaemonSet>(old).status ?? {}),
  },
};
