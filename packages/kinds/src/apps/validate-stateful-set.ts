// The rules for stateful sets. On update, what cannot change is not checked again, and a template that was bad before may stay bad.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type PersistentVolumeClaim,
  type PodTemplateSpec,
  type StatefulSetSpec,
  type Volume,
  validateDns1123Label,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { amountOf, atMostAllOfThem, intOrPercent, invalidBecause, notNegative } from "../field-rules.js";
import { validateClaimSpec } from "../pod/validate-claim-template.js";
import { validatePodAnnotations } from "../pod/validate-pod-annotations.js";
import { placedContainers } from "../pod/validate-pod-spec.js";
import { validatePodTemplate } from "../pod/validate-pod-template.js";
import { selectorErrors } from "../selector-errors.js";
import { shownSelector } from "../shown-value.js";
import { annotationErrors, labelErrors } from "../validate-labels.js";
import { validateEndless } from "./replica-template.js";
import { isEmptySelector, matcherOf, mismatchErrors } from "./workload-selector.js";

/** Checks to skip: on update of immutable fields, and of a template that was invalid before. */
interface Skipped {
  readonly immutable?: boolean;
  readonly template?: boolean;
}

/** A stateful set spec. */
export function validateStatefulSetSpec(spec: StatefulSetSpec, skipped: Skipped = {}): FieldError[] {
  return [
    ...policyErrors(spec.podManagementPolicy ?? ""),
    ...strategyErrors(spec.updateStrategy ?? {}),
    ...retentionErrors(spec.persistentVolumeClaimRetentionPolicy),
    ...(skipped.immutable ? [] : claimErrors(spec.volumeClaimTemplates)),
    ...notNegative(spec.replicas, "spec.replicas"),
    ...notNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...notNegative(spec.ordinals?.start, "spec.ordinals.start"),
    ...(skipped.immutable ? [] : serviceNameErrors(spec)),
    ...selectionErrors(spec, skipped.template === true),
    ...validateEndless(spec.template, "StatefulSet", "spec.template"),
  ];
}

/** A change of a stateful set: most of its spec is settled. */
export function validateStatefulSetUpdate(now: StatefulSetSpec, before: StatefulSetSpec): FieldError[] {
  const immutable = true;
  const template = validateStatefulSetSpec(before, { immutable }).length > 0;
  const errors = validateStatefulSetSpec(now, { immutable, template });
  const settled = (spec: StatefulSetSpec): unknown => ({
    ...spec,
    replicas: undefined,
    template: undefined,
    updateStrategy: undefined,
    minReadySeconds: undefined,
    ordinals: undefined,
    revisionHistoryLimit: undefined,
    persistentVolumeClaimRetentionPolicy: undefined,
  });
  if (deepEqual(settled(now), settled(before))) return errors;
  const text =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [...errors, fieldError.forbidden("spec", text)];
}

function policyErrors(policy: string): FieldError[] {
  const field = "spec.podManagementPolicy";
  if (policy === "") return [fieldError.required(field)];
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [fieldError.invalid(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function strategyErrors({
  type,
  rollingUpdate,
}: NonNullable<StatefulSetSpec["updateStrategy"]>): FieldError[] {
  const field = "spec.updateStrategy";
  const shown = rollingUpdate
    ? { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null }
    : null;
  if (!type) return [fieldError.required(field)];
  if (type === "OnDelete") {
    if (!rollingUpdate) return [];
    const text = "only allowed for updateStrategy 'RollingUpdate'";
    return [fieldError.invalid(`${field}.rollingUpdate`, shown, text)];
  }
  if (type !== "RollingUpdate") {
    const text = "must be 'RollingUpdate' or 'OnDelete'";
    return [fieldError.invalid(field, { Type: type, RollingUpdate: shown }, text)];
  }
  const at = `${field}.rollingUpdate`;
  return [
    ...notNegative(rollingUpdate?.partition, `${at}.partition`),
    ...unavailableErrors(rollingUpdate?.maxUnavailable, `${at}.maxUnavailable`),
  ];
}

function unavailableErrors(amount: number | string | undefined, field: string): FieldError[] {
  if (amount === undefined) return [];
  const none = amountOf(amount) === 0 ? [fieldError.invalid(field, amount, "cannot be 0")] : [];
  return [...intOrPercent(amount, field), ...none, ...atMostAllOfThem(amount, field)];
}

function retentionErrors(policy: StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]): FieldError[] {
  if (!policy) return [];
  const supported = ["Retain", "Delete"];
  const field = "spec.persistentVolumeClaimRetentionPolicy";
  return (["whenDeleted", "whenScaled"] as const)
    .filter((name) => !supported.includes(policy[name] ?? ""))
    .map((name) => fieldError.notSupported(`${field}.${name}`, policy[name] ?? "", supported));
}

/** It becomes the subdomain of the pods. */
const serviceNameErrors = ({ serviceName }: StatefulSetSpec): FieldError[] =>
  serviceName ? invalidBecause(validateDns1123Label(serviceName), serviceName, "spec.serviceName") : [];

const claimErrors = (claims: readonly PersistentVolumeClaim[] | undefined): FieldError[] =>
  checkEach(claims ?? [], ({ spec }, index) =>
    validateClaimSpec(spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
  );

function selectionErrors(spec: StatefulSetSpec, skipTemplate: boolean): FieldError[] {
  const field = "spec.selector";
  const { selector, template } = spec;
  const errors = selector ? selectorErrors(selector, field) : [fieldError.required(field)];
  if (isEmptySelector(selector))
    errors.push(fieldError.invalid(field, selector, "empty selector is invalid for statefulset"));
  const matcher = matcherOf(selector);
  if (!matcher) return [...errors, fieldError.invalid(field, shownSelector(selector), "")];
  return [
    ...errors,
    ...mismatchErrors(matcher, template, "spec.template"),
    ...(skipTemplate ? [] : templateErrors(spec)),
    ...metadataErrors(template),
  ];
}

/** The template with the volumes of its claims, and without the names that the controller gives its pods. */
function templateErrors({ template, volumeClaimTemplates }: StatefulSetSpec): FieldError[] {
  const claimed = (volumeClaimTemplates ?? []).map(({ metadata }): Volume => {
    const name = metadata?.name ?? "";
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const names = new Set(claimed.map(({ name }) => name));
  const volumes = [...claimed, ...(template.spec?.volumes ?? []).filter(({ name }) => !names.has(name))];
  const { hostname: _, subdomain: __, ...named } = template.spec ?? { containers: [] };
  const spec = { ...named, volumes };
  return validatePodTemplate({ ...template, spec }, "spec.template");
}

/** Checked apart from the template, and with it once more. */
function metadataErrors(template: PodTemplateSpec): FieldError[] {
  const field = "spec.template";
  const { labels, annotations } = template.metadata ?? {};
  const spec = template.spec ?? { containers: [] };
  return [
    ...labelErrors(labels, `${field}.labels`),
    ...annotationErrors(annotations, `${field}.annotations`),
    ...validatePodAnnotations(
      annotations,
      spec,
      placedContainers(spec, `${field}.spec`),
      `${field}.annotations`,
    ),
  ];
}
