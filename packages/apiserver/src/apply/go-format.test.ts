import fc from "fast-check";
import { expect, it } from "vitest";
import { LongValues } from "../codec/count-values.js";
import { goValue, goValueSteps } from "./go-format.js";

it("prints values in steps as at once", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(3), (value, few) => {
      expect(goValueSteps(value, new LongValues(few))).toBe(goValue(value));
    }),
  );
});
