// Selectors may have as many labels and expressions as fit into a body.
import {
  type FieldError,
  type LabelSelector,
  type LabelSelectorRequirement,
  validateLabel,
  validateLabelValue,
  validateSelectorExpression,
} from "@kubewright/api";
import { checkEach } from "./check-each.js";
import { invalidBecause } from "./field-rules.js";

/** The errors of a label selector. */
export function selectorErrors(selector: LabelSelector | undefined, field: string): FieldError[] {
  const matchLabels = selector?.matchLabels ?? {};
  const at = `${field}.matchLabels`;
  return [
    ...checkEach(Object.keys(matchLabels), (key) => validateLabel(key, matchLabels[key] ?? "", at)),
    ...checkEach(selector?.matchExpressions ?? [], (expression, index) =>
      expressionErrors(expression, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function expressionErrors(expression: LabelSelectorRequirement, field: string): FieldError[] {
  const values = expression.values ?? [];
  if (values.length < 2) return validateSelectorExpression(expression, field);
  // Whether there are values at all is all that the rest of the expression asks of them.
  const [, ...others] = values;
  return [
    ...validateSelectorExpression({ ...expression, values: values.slice(0, 1) }, field),
    ...checkEach(others, (value, index) =>
      invalidBecause(validateLabelValue(value), value, `${field}.values[${index + 1}]`),
    ),
  ];
}
