import { type LabelSelector, validateLabelSelector } from "@kubewright/api";
import { expect, it } from "vitest";
import { selectorErrors } from "./selector-errors.js";

const keys = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? `!${index}` : `k${index}`));

it.each<[string, LabelSelector | undefined]>([
  ["none", undefined],
  [
    "short",
    {
      matchLabels: { a: "b", "!": "!" },
      matchExpressions: [{ key: "!", operator: "Exists", values: ["!"] }],
    },
  ],
  ["many labels", { matchLabels: Object.fromEntries(keys.map((key) => [key, key])) }],
  [
    "many expressions",
    { matchExpressions: keys.map((key) => ({ key, operator: "In" as const, values: [] })) },
  ],
  ["many values", { matchExpressions: [{ key: "a", operator: "In", values: keys }] }],
  ["many values for nothing", { matchExpressions: [{ key: "a", operator: "Exists", values: keys }] }],
])("selectorErrors reports the errors of validateLabelSelector: %s", (_what, selector) => {
  const found = selectorErrors(selector, "spec.selector");
  expect(found).toEqual(validateLabelSelector(selector, "spec.selector"));
});
