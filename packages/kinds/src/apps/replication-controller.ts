// Replication controllers, the ancestors of replica sets: selectors are plain labels, taken from the template.
import {
  type FieldError,
  fieldError,
  LabelMatcher,
  type ReplicationController,
  type ReplicationControllerSpec,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { notNegative } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { validatePodTemplate } from "../pod/validate-pod-template.js";
import { validateReplicaStatus } from "./replica-set.js";
import { validateEndless } from "./replica-template.js";
import { mismatchErrors } from "./workload-selector.js";
import { isNewGeneration, nameWarnings, templateWarnings } from "./workload-warnings.js";

const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0;

function applyDefaults(object: DraftObject): void {
  const { spec } = draftAs<ReplicationController>(object);
  if (!spec) return;
  spec.replicas ??= 1;
  const labels = spec.template?.metadata?.labels;
  if (labels && isEmpty(spec.selector)) spec.selector = { ...labels };
  if (labels && isEmpty(object.metadata.labels)) object.metadata.labels = { ...labels };
  defaultPodTemplate(spec.template);
}

function validateSpec(spec: ReplicationControllerSpec): FieldError[] {
  return [
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...(isEmpty(spec.selector) ? [fieldError.required("spec.selector")] : []),
    ...notNegative(spec.replicas, "spec.replicas"),
    ...templateErrors(spec),
  ];
}

function templateErrors({ template, selector }: ReplicationControllerSpec): FieldError[] {
  const field = "spec.template";
  if (!template) return [fieldError.required(field)];
  return [
    ...(isEmpty(selector) ? [] : mismatchErrors(LabelMatcher.ofLabels(selector ?? {}), template, field)),
    ...validatePodTemplate(template, field),
    ...validateEndless(template, "ReplicationController", field),
  ];
}

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const template = draftAs<ReplicationController>(object).spec?.template;
  if (!old) return [...nameWarnings(object.metadata), ...templateWarnings(template, "spec.template")];
  return isNewGeneration(object, old) ? templateWarnings(template, "spec.template") : [];
}

const validate = (object: DraftObject): FieldError[] =>
  validateSpec(draftAs<ReplicationController>(object).spec ?? {});

/** Replication controllers and their scale. */
export const replicationControllers: BuiltInKind = {
  resource: "replicationcontrollers",
  strategy: {
    applyDefaults,
    metadata: { uncheckedPrefix: true },
    validateCreate: validate,
    validateUpdate: validate,
    warnings,
    defaultPropagation: "Orphan",
    selectableFields: ["status.replicas"],
    selectableField: (object) => String(storedAs<ReplicationController>(object).status?.replicas ?? 0),
  },
  status: {
    validateUpdate: (object) => validateReplicaStatus(draftAs<ReplicationController>(object).status ?? {}),
  },
  scaleSelector: (object) =>
    LabelMatcher.ofLabels(storedAs<ReplicationController>(object).spec?.selector ?? {}).toString(),
};
