// The template of pods that are kept running: it must match the selector, and pods made from it must never end.
import { type FieldError, fieldError, type LabelSelector, type PodTemplateSpec } from "@kubewright/api";
import { validatePodTemplate } from "../pod/validate-pod-template.js";
import { selectorErrors } from "../selector-errors.js";
import { shownSelector } from "../shown-value.js";
import { isEmptySelector, matcherOf, mismatchErrors } from "./workload-selector.js";

/** The fields that Deployments and ReplicaSets have in common. */
export interface ReplicaSpec {
  readonly selector: LabelSelector | null | undefined;
  readonly template?: PodTemplateSpec | undefined;
}

/** Selector and template of a deployment or replica set. */
export function validateReplicaSpec({ selector, template }: ReplicaSpec, field: string): FieldError[] {
  const errors = selector
    ? selectorErrors(selector, `${field}.selector`)
    : [fieldError.required(`${field}.selector`)];
  if (isEmptySelector(selector))
    errors.push(
      fieldError.invalid(`${field}.selector`, selector, "empty selector is invalid for deployment"),
    );
  const matcher = matcherOf(selector);
  if (!matcher)
    return [
      ...errors,
      fieldError.invalid(`${field}.selector`, shownSelector(selector), "invalid label selector"),
    ];
  const at = `${field}.template`;
  return [
    ...errors,
    ...mismatchErrors(matcher, template, at),
    ...validatePodTemplate(template ?? {}, at),
    ...validateEndless(template, "ReplicaSet", at),
  ];
}

/** Pods of a workload that keeps them running restart always and have no deadline. */
export function validateEndless(
  template: PodTemplateSpec | undefined,
  kind: string,
  field: string,
): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  const errors: FieldError[] = [];
  if (restartPolicy !== "Always")
    errors.push(fieldError.notSupported(`${field}.spec.restartPolicy`, restartPolicy ?? "", ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(fieldError.forbidden(`${field}.spec.activeDeadlineSeconds`, text));
  }
  return errors;
}
