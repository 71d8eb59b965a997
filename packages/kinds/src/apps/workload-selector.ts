// The selector of a workload, and the template whose pods it must select.
import {
  type FieldError,
  fieldError,
  LabelMatcher,
  type LabelSelector,
  type PodTemplateSpec,
} from "@kubewright/api";
import { shownLabels } from "../shown-value.js";

/** A selector compiled; undefined when it is invalid. Unset selects nothing, empty selects everything. */
export function matcherOf(selector: LabelSelector | null | undefined): LabelMatcher | undefined {
  try {
    return LabelMatcher.from(selector ?? undefined);
  } catch {
    return undefined;
  }
}

/** True for a selector without any requirement. */
export const isEmptySelector = (selector: LabelSelector | null | undefined): boolean =>
  selector !== null &&
  selector !== undefined &&
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** Labels of a template that its own selector does not select. */
export function mismatchErrors(
  matcher: LabelMatcher,
  template: PodTemplateSpec | undefined,
  field: string,
): FieldError[] {
  const labels = template?.metadata?.labels;
  if (matcher.matches(labels)) return [];
  const text = "`selector` does not match template `labels`";
  return [fieldError.invalid(`${field}.metadata.labels`, shownLabels(labels), text)];
}
