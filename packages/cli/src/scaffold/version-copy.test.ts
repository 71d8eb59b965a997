import { expect, test } from "vitest";
import { versionCopy } from "./version-copy.js";

const options = {
  from: "src/api/v1/order.ts",
  to: "src/api/v2/order.ts",
  variable: "orderV2",
  comment: "// Order as v2 has it.",
};

test("a further version has every field of the first, and nothing that is said once for all versions", () => {
  const source = `// Order: a purchase.
import type { ObjectOf } from "@kubewright/api";
import { conditions, defineResource, rule, z } from "@kubewright/schema";
import { address } from "./address.js";

const tier = z.enum(["small", "large"]);

export const Order = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Order",
  shortNames: ["od"],
  spec: z.object({
    replicas: z.int().default(1), // how many
    tier,
    address,
  }),
  // Set by the controller.
  status: z.object({ conditions: conditions() }),
  conversion: "webhook",
  rules: [rule("has(self.spec)", "a spec")]
});

export type Order = ObjectOf<typeof Order>;
`;
  expect(versionCopy(source, options)).toBe(`// Order as v2 has it.
import { conditions, rule, z } from "@kubewright/schema";
import { address } from "../v1/address.js";

const tier = z.enum(["small", "large"]);

export const orderV2 = {
  spec: z.object({
    replicas: z.int().default(1), // how many
    tier,
    address,
  }),
  // Set by the controller.
  status: z.object({ conditions: conditions() }),
  rules: [rule("has(self.spec)", "a spec")],
};
`);
});

test.each([
  ["no definition", "export const x = 1;\n"],
  ["a spread", "export const A = defineResource({ ...common, spec: z.object({}) });\n"],
  ["an options object by name", "export const A = defineResource(options);\n"],
])("a source that is not understood is not copied: %s", (_, source) => {
  expect(versionCopy(source, options)).toBeUndefined();
});
