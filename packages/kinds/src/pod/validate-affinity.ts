// Validates node affinity, pod affinity and anti-affinity.
import {
  type Affinity,
  type FieldError,
  fieldError,
  type LabelSelector,
  type PodAffinity,
  type PodAffinityTerm,
  validateDns1123Label,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { selectorErrors } from "../selector-errors.js";
import { validateNodeAffinity, validateWeight } from "./validate-node-selector.js";

/** All three kinds of affinity. */
export function validateAffinity(affinity: Affinity | undefined, field: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  return [
    ...(nodeAffinity ? validateNodeAffinity(nodeAffinity, `${field}.nodeAffinity`) : []),
    ...(podAffinity ? podAffinityErrors(podAffinity, `${field}.podAffinity`) : []),
    ...(podAntiAffinity ? podAffinityErrors(podAntiAffinity, `${field}.podAntiAffinity`) : []),
  ];
}

function podAffinityErrors(affinity: PodAffinity, field: string): FieldError[] {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...checkEach(required, (term, index) =>
      termErrors(term, `${field}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...checkEach(preferred, ({ weight, podAffinityTerm }, index) => {
      const at = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [
        ...validateWeight(weight, `${at}.weight`),
        ...termErrors(podAffinityTerm, `${at}.podAffinityTerm`),
      ];
    }),
  ];
}

function termErrors(term: PodAffinityTerm, field: string): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  return [
    ...selectorErrors(labelSelector, `${field}.labelSelector`),
    ...selectorErrors(namespaceSelector, `${field}.namespaceSelector`),
    ...checkEach(namespaces, (name) =>
      invalidBecause(validateDns1123Label(name), name, `${field}.namespace`),
    ),
    ...validateLabelKeys(term, field),
    ...(topologyKey ? [] : [fieldError.required(`${field}.topologyKey`, "can not be empty")]),
    ...invalidBecause(validateQualifiedName(topologyKey), topologyKey, `${field}.topologyKey`),
  ];
}

/** Keys whose values a selector takes from the pod itself; `field` is what they and the selector are part of. */
export function validateLabelKeys(
  term: Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">,
  field: string,
): FieldError[] {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const mismatched = new Set(mismatchLabelKeys);
  return [
    ...keyErrors(matchLabelKeys, labelSelector, `${field}.matchLabelKeys`),
    ...keyErrors(mismatchLabelKeys, labelSelector, `${field}.mismatchLabelKeys`),
    ...repeatedKeys(matchLabelKeys, labelSelector).map(([key, index]) =>
      fieldError.invalid(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"),
    ),
    ...checkEach(matchLabelKeys, (key, index) =>
      mismatched.has(key)
        ? [
            fieldError.invalid(
              `${field}.matchLabelKeys[${index}]`,
              key,
              "exists in both matchLabelKeys and mismatchLabelKeys",
            ),
          ]
        : [],
    ),
  ];
}

function keyErrors(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  field: string,
): FieldError[] {
  if (keys.length === 0) return [];
  if (!selector) return [fieldError.forbidden(field, "must not be specified when labelSelector is not set")];
  return checkEach(keys, (key, index) =>
    invalidBecause(validateQualifiedName(key), key, `${field}[${index}]`),
  );
}

/** By now a selector holds one expression for each key that was merged into it; a second one came from the user. */
function repeatedKeys(
  keys: readonly string[],
  selector: LabelSelector | undefined,
): (readonly [string, number])[] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  return (selector?.matchExpressions ?? []).flatMap(({ key }) => {
    const index = keys.lastIndexOf(key);
    const repeated = index >= 0 && seen.has(key);
    seen.add(key);
    return repeated ? [[key, index] as const] : [];
  });
}
