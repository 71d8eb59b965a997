import type { OwnerReference } from "@kubewright/api";
import { expect, it } from "vitest";
import { ownerErrors } from "./validate-owner-references.js";

const references = (count: number): OwnerReference[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `m${index}`,
    uid: `u${index}`,
    controller: true,
  }));

it("owner references: refuses a second controller, showing all owners", () => {
  const [error, ...more] = ownerErrors(references(2));
  expect(more).toEqual([]);
  expect(error?.message).toContain("ConfigMap/m0 and ConfigMap/m1");
});

it("owner references: refuses thousands of controllers without showing all owners thousands of times", () => {
  expect(ownerErrors(references(5_000)).length).toBeLessThan(10);
});
