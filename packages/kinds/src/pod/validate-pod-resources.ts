// Requests and limits of a pod as a whole, against those of its containers.
import { type FieldError, fieldError, type PodSpec } from "@kubewright/api";
import { aggregateResources, parseAmounts } from "./pod-resources.js";
import { isHugePages, validatePodResourceName } from "./resource-names.js";
import { validateResources } from "./validate-resources.js";

/** The resources of the pod; `field` is where they stand. */
export function validatePodResources(
  spec: PodSpec,
  podClaims: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const { resources } = spec;
  if (!resources) return [];
  if (spec.os?.name === "windows") return [fieldError.forbidden(field, "may not be set for a windows pod")];
  const claims = resources.claims
    ? [fieldError.forbidden(`${field}.claims`, "claims may not be set for Resources at pod-level")]
    : [];
  return [
    ...claims,
    ...validateResources(resources, podClaims, field, validatePodResourceName),
    ...consistencyErrors(spec, field),
  ];
}

function consistencyErrors(spec: PodSpec, field: string): FieldError[] {
  const requests = parseAmounts(spec.resources?.requests);
  const limits = parseAmounts(spec.resources?.limits);
  const errors: FieldError[] = [];
  for (const [name, amount] of aggregateResources(spec, "requests")) {
    const ofPod = requests.get(name);
    if (!ofPod || amount.compare(ofPod) <= 0) continue;
    const text = `must be greater than or equal to aggregate container requests of ${amount}`;
    errors.push(fieldError.invalid(`${field}.requests[${name}]`, ofPod.toString(), text));
  }
  for (const [name, amount] of aggregateResources(spec, "limits")) {
    const ofPod = isHugePages(name) ? limits.get(name) : undefined;
    if (!ofPod || amount.compare(ofPod) <= 0) continue;
    const text = `must be greater than or equal to aggregate container limits of ${amount}`;
    errors.push(fieldError.invalid(`${field}.limits[${name}]`, ofPod.toString(), text));
  }
  (spec.containers ?? []).forEach(({ resources }, index) => {
    for (const [name, amount] of parseAmounts(resources?.limits)) {
      const ofPod = limits.get(name);
      if (!ofPod || amount.compare(ofPod) <= 0) continue;
      const text = `must be less than or equal to pod limits of ${ofPod}`;
      const at = `${field}.containers[${index}][${name}].limits`;
      errors.push(fieldError.invalid(at, amount.toString(), text));
    }
  });
  return errors;
}
