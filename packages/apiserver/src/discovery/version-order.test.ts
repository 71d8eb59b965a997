import { describe, expect, it } from "vitest";
import { compareVersions } from "./version-order.js";

describe("API versions", () => {
  it("are ordered as Kubernetes orders them", () => {
    const best = [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
    ];
    expect([...best].reverse().sort(compareVersions)).toEqual(best);
  });

  it.each([
    ["v1", "v1"],
    ["odd", "odd"],
  ])("%s equals itself", (left, right) => {
    expect(compareVersions(left, right)).toBe(0);
  });
});
