import { Deployment } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";
import { defineController } from "../controller/define-controller.js";
import { watch } from "../controller/watches.js";
import { customKindsOf } from "./custom-kinds.js";

test("a manager installs the CRDs of its own kinds, and no others", () => {
  const kind = (group: string, name: string) =>
    defineResource({ group, version: "v1", kind: name, spec: z.object({}).optional() });
  const [Shop, Policy, Certificate] = [
    kind("shop.example", "Shop"),
    kind("shop.example", "Policy"),
    kind("certs.example", "Certificate"),
  ];
  const shops = defineController(Shop, {
    owns: [Deployment, Certificate],
    watches: [watch(Policy, { targets: () => [] })],
    reconcile: () => undefined,
  });
  expect(customKindsOf({ controllers: [shops] }).map(({ kind: name }) => name)).toEqual(["Shop", "Policy"]);
  const brought = customKindsOf({ controllers: [shops], resources: [kind("stock.example", "Shelf"), Shop] });
  expect(brought.map(({ kind: name }) => name)).toEqual(["Shop", "Policy", "Shelf"]);
});
