// The template of a workload: a pod spec with labels and annotations.
import { type FieldError, fieldError, type PodTemplateSpec } from "@kubewright/api";
import { annotationErrors, labelErrors } from "../validate-labels.js";
import { validatePodAnnotations, validateProfilesAgree } from "./validate-pod-annotations.js";
import { placedContainers, validatePodSpec } from "./validate-pod-spec.js";

/** A template. The server reports its labels and annotations without the `metadata` they stand in. */
export function validatePodTemplate(template: PodTemplateSpec, field: string): FieldError[] {
  const annotations = template.metadata?.annotations;
  const spec = template.spec ?? { containers: [] };
  const at = `${field}.spec`;
  const containers = placedContainers(spec, at);
  const ephemeral =
    (spec.ephemeralContainers ?? []).length > 0
      ? [
          fieldError.forbidden(
            `${at}.ephemeralContainers`,
            "ephemeral containers not allowed in pod template",
          ),
        ]
      : [];
  return [
    ...labelErrors(template.metadata?.labels, `${field}.labels`),
    ...annotationErrors(annotations, `${field}.annotations`),
    ...validatePodAnnotations(annotations, spec, containers, `${field}.annotations`),
    ...validatePodSpec(spec, { isPod: false }, at),
    ...validateProfilesAgree(annotations, spec, containers, at),
    ...ephemeral,
  ];
}
