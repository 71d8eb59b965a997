import { goQuote } from "@kubewright/api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { quotingSteps } from "./quoting-steps.js";

it("quotes in steps as at once, characters of two halves and lone halves too", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\ud83d\ude00", "\ud83d", "\ude00", "\n", '"', "\u0001", "\u2028"),
  );
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 1, max: 5 }), (parts, few) => {
      const text = parts.join("");
      expect(quotingSteps(text, few)).toBe(goQuote(text));
    }),
  );
});
