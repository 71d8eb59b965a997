import { expect, test } from "vitest";
import { parseFeatureGates } from "./feature-gates.js";

test.each([
  [[], []],
  [["MaxUnavailableStatefulSet"], ["MaxUnavailableStatefulSet"]],
  [["MaxUnavailableStatefulSet=true", "MaxUnavailableStatefulSet=false"], []],
  [
    ["MaxUnavailableStatefulSet=1", "APIServerIdentity=true", "CBORServingAndStorage=false"],
    ["MaxUnavailableStatefulSet"],
  ],
])("feature gates: reads %j", (settings, open) => {
  expect(parseFeatureGates(settings)).toEqual(open);
});

test.each([
  ["Nope", "unrecognized feature gate: Nope"],
  ["Nope=false", "unrecognized feature gate: Nope"],
  [
    "MaxUnavailableStatefulSet=maybe",
    'invalid value of MaxUnavailableStatefulSet=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  [
    "CBORServingAndStorage=true",
    "feature gate CBORServingAndStorage is always false here; those that can be set are MaxUnavailableStatefulSet",
  ],
])("feature gates: refuses %s", (setting, message) => {
  expect(() => parseFeatureGates([setting])).toThrow(message);
});
