// Replica sets.
import type { FieldError, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable, notNegative } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { shownSelector } from "../shown-value.js";
import { selectorText } from "./deployment.js";
import { validateReplicaSpec } from "./replica-template.js";
import { validateCounts, validateParts } from "./status-counts.js";
import { isNewGeneration, nameWarnings, templateWarnings } from "./workload-warnings.js";

const none: ReplicaSetSpec = { selector: {} };
const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

function applyDefaults(object: DraftObject): void {
  const { spec } = draftAs<ReplicaSet>(object);
  if (!spec) return;
  spec.replicas ??= 1;
  defaultPodTemplate(spec.template);
}

function validateSpec(spec: ReplicaSetSpec): FieldError[] {
  return [
    ...notNegative(spec.replicas, "spec.replicas"),
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...validateReplicaSpec(spec, "spec"),
  ];
}

/** Validates the counts of ReplicaSets and ReplicationControllers; the latter have no terminatingReplicas. */
export const validateReplicaStatus = (status: Partial<ReplicaSetStatus>): FieldError[] => [
  ...validateCounts(status, ["replicas", ...parts, "terminatingReplicas", "observedGeneration"]),
  ...validateParts(status, parts, "replicas"),
  ...validateParts(status, ["availableReplicas"], "readyReplicas", "readyReplicas"),
];

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const template = draftAs<ReplicaSet>(object).spec?.template;
  if (!old) return [...nameWarnings(object.metadata), ...templateWarnings(template, "spec.template")];
  return isNewGeneration(object, old) ? templateWarnings(template, "spec.template") : [];
}

/** Replica sets and their scale. */
export const replicaSets: BuiltInKind = {
  resource: "replicasets.apps",
  strategy: {
    applyDefaults,
    validateCreate: (object) => validateSpec(draftAs<ReplicaSet>(object).spec ?? none),
    validateUpdate(object, old) {
      const now = draftAs<ReplicaSet>(object).spec ?? none;
      const before = storedAs<ReplicaSet>(old).spec ?? none;
      return [
        ...validateSpec(now),
        ...immutable(now.selector, before.selector, "spec.selector", shownSelector(now.selector)),
      ];
    },
    warnings,
  },
  status: {
    validateUpdate: (object) => validateReplicaStatus(draftAs<ReplicaSet>(object).status ?? {}),
  },
  scaleSelector: (object) => selectorText(storedAs<ReplicaSet>(object).spec?.selector),
};
