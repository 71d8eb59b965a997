// Selectors as they appear in the messages of controllers.
import type { LabelSelector } from "@kubewright/api";

/** `nil`, or every field by name. */
export function goSelector(selector: LabelSelector | undefined): string {
  if (!selector) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const map = `map[string]string{${labels.join("")}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
