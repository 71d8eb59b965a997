// The rules for jobs: the selector the server makes for them, and how little of them may change.
import {
  type FieldError,
  fieldError,
  type Job,
  type JobSpec,
  type PodSpec,
  type PodTemplateSpec,
  validateDns1123Label,
} from "@kubewright/api";
import { matcherOf, mismatchErrors } from "../apps/workload-selector.js";
import { immutable } from "../field-rules.js";
import { internalPodSpec, internalTemplate } from "../pod/internal-value.js";
import { selectorErrors } from "../selector-errors.js";
import { shownStruct } from "../shown-struct.js";
import { shownLabels, shownSelector } from "../shown-value.js";
import {
  controllerUidLabel,
  jobNameLabel,
  legacyControllerUidLabel,
  legacyJobNameLabel,
} from "./job-labels.js";
import { validateJobSpec } from "./validate-job-spec.js";

const none: JobSpec = { template: {} };

/** A job; `prefixed` says that its pods must carry the labels with a domain too. */
export function validateJob(job: Job, prefixed: boolean): FieldError[] {
  const spec = job.spec ?? none;
  return [...generatedSelectorErrors(job, prefixed), ...validateWholeSpec(spec), ...hostnameErrors(job)];
}

function validateWholeSpec(spec: JobSpec): FieldError[] {
  const { selector } = spec;
  const matcher = matcherOf(selector);
  return [
    ...validateJobSpec(spec, "spec"),
    ...(selector ? selectorErrors(selector, "spec.selector") : [fieldError.required("spec.selector")]),
    ...(matcher ? mismatchErrors(matcher, spec.template, "spec.template") : []),
  ];
}

/** The labels that make the pods of a job its own. */
function generatedSelectorErrors({ metadata, spec }: Job, prefixed: boolean): FieldError[] {
  const { uid = "", name = "" } = metadata ?? {};
  if (spec?.manualSelector || !spec?.selector) return [];
  const expected: Record<string, string> = {
    [legacyControllerUidLabel]: uid,
    [legacyJobNameLabel]: name,
    ...(prefixed ? { [controllerUidLabel]: uid, [jobNameLabel]: name } : {}),
  };
  const labels = spec.template?.metadata?.labels ?? {};
  const errors = Object.entries(expected).flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`;
    if (!Object.hasOwn(labels, key)) return [fieldError.required(field, `must be '${value}'`)];
    return labels[key] === value
      ? []
      : [fieldError.invalid(field, shownLabels(labels), `must be '${value}'`)];
  });
  const matcher = matcherOf(spec.selector);
  if (matcher && !matcher.matches(expected))
    errors.push(
      fieldError.invalid("spec.selector", shownSelector(spec.selector), "`selector` not auto-generated"),
    );
  return uid ? errors : [fieldError.required("metadata.uid"), ...errors];
}

/** Pods of an indexed job have its name and their index for a hostname. */
function hostnameErrors({ metadata, spec }: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec ?? {};
  if (completionMode !== "Indexed" || completions <= 0) return [];
  const hostname = `${metadata?.name}-${completions - 1}`;
  if (validateDns1123Label(hostname).length === 0) return [];
  const text = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [fieldError.invalid("metadata.name", metadata?.name ?? "", text)];
}

/** A changed job. What is wrong with the spec is reported twice, as the server does. */
export function validateJobUpdate(job: Job, old: Job): FieldError[] {
  const now = job.spec ?? none;
  const before = old.spec ?? none;
  const labels = before.template?.metadata?.labels ?? {};
  const prefixed = Object.hasOwn(labels, jobNameLabel) && Object.hasOwn(labels, controllerUidLabel);
  return [
    ...validateJob(job, prefixed),
    ...validateWholeSpec(now),
    ...completionsErrors(now, before),
    ...immutable(now.selector, before.selector, "spec.selector", shownSelector(now.selector)),
    ...templateErrors(now, before, isAtRest(old)),
    ...immutable(now.completionMode, before.completionMode, "spec.completionMode"),
    ...immutable(
      now.podFailurePolicy,
      before.podFailurePolicy,
      "spec.podFailurePolicy",
      shownStruct(now.podFailurePolicy, "k8s.io.api.batch.v1.PodFailurePolicy"),
    ),
    ...immutable(now.backoffLimitPerIndex, before.backoffLimitPerIndex, "spec.backoffLimitPerIndex"),
    ...immutable(now.managedBy, before.managedBy, "spec.managedBy"),
    ...immutable(
      now.successPolicy,
      before.successPolicy,
      "spec.successPolicy",
      shownStruct(now.successPolicy, "k8s.io.api.batch.v1.SuccessPolicy"),
    ),
  ];
}

/** Indexed jobs may be scaled, completions and parallelism together. */
function completionsErrors(now: JobSpec, before: JobSpec): FieldError[] {
  const field = "spec.completions";
  if (now.completionMode !== "Indexed") return immutable(now.completions, before.completions, field);
  if (now.completions === before.completions || now.completions === undefined) return [];
  if (now.completions === now.parallelism) return [];
  return [fieldError.invalid(field, now.completions, "can only be modified in tandem with spec.parallelism")];
}

/** Suspended, with no pod left that was made from the template: it never started, or its controller says that it rests. */
function isAtRest({ spec, status }: Job): boolean {
  const rests =
    status?.startTime === undefined ||
    (status.conditions ?? []).some(
      (condition) => condition.type === "Suspended" && condition.status === "True",
    );
  return spec?.suspend === true && rests && (status?.active ?? 0) === 0;
}

/** While a job is at rest, its resources may change, and where its pods may go. */
function templateErrors(now: JobSpec, before: JobSpec, atRest: boolean): FieldError[] {
  const shown = internalTemplate(now.template);
  if (!atRest) return immutable(now.template, before.template, "spec.template", shown);
  const old = withScheduling(before.template, now.template);
  const spec = now.template?.spec;
  return [
    ...immutable(now.template?.metadata, old.metadata, "spec.template", shown),
    ...immutable(spec, withResources(old.spec, spec), "spec.template.spec", internalPodSpec(spec)),
  ];
}

/** The old template with the scheduling directives of the new one. */
function withScheduling(old: PodTemplateSpec, now: PodTemplateSpec): PodTemplateSpec {
  const { nodeSelector, tolerations, schedulingGates, affinity } = now.spec ?? {};
  const others = { ...old.spec?.affinity, nodeAffinity: affinity?.nodeAffinity };
  const hasOthers = Object.values(others).some((value) => value !== undefined);
  return {
    metadata: { ...old.metadata, labels: now.metadata?.labels, annotations: now.metadata?.annotations },
    spec: {
      ...old.spec,
      containers: old.spec?.containers ?? [],
      nodeSelector,
      tolerations,
      schedulingGates,
      affinity: affinity || hasOthers ? others : undefined,
    },
  };
}

/** The old spec with the resources of the new one, container by container. */
function withResources(old: PodSpec | undefined, now: PodSpec | undefined): PodSpec | undefined {
  if (!old) return old;
  const merge = <T extends { readonly name: string; readonly resources?: unknown }>(
    before: readonly T[] | undefined,
    after: readonly T[] | undefined,
  ): readonly T[] | undefined => {
    if (!before || before.length !== after?.length) return before;
    return before.map((container, index) => {
      const next = after[index];
      return next?.name === container.name ? { ...container, resources: next.resources } : container;
    });
  };
  return {
    ...old,
    containers: merge(old.containers, now?.containers) ?? [],
    ...(old.initContainers ? { initContainers: merge(old.initContainers, now?.initContainers) } : {}),
  };
}
