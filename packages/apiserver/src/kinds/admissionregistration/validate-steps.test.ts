import type { ValidatingAdmissionPolicySpec } from "@kubewright/api";
import { expect, it } from "vitest";
import { validateMatchConditions } from "./validate-match-conditions.js";
import { reviewPolicyParts } from "./validate-policy-parts.js";
import { validateValidations } from "./validate-validations.js";

/** How often work pauses. */
const pauses = (steps: unknown): number => [...steps].length;
const times = <T>(count: number, item: T): T[] => new Array<T>(count).fill(item);
const expression = "object.spec.replicas > 1";

it.each<[string, (count: number) => unknown]>([
  [
    "match conditions",
    (count) => validateMatchConditions(times(count, { name: "a", expression }), false, "c"),
  ],
  ["variables", (count) => reviewPolicyParts({ variables: times(count, { name: "v", expression }) }, false)],
  [
    "validations",
    (count) => {
      const spec: ValidatingAdmissionPolicySpec = { validations: times(count, { expression }) };
      return validateValidations(spec, {}, "p");
    },
  ],
])("%s are compiled one by one, with pauses", (_what, validate) => {
  expect(pauses(validate(1))).toBeGreaterThan(0);
  expect(pauses(validate(20))).toBe(20 * pauses(validate(1)));
});
