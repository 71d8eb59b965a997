import type { CustomResourceDefinition, JSONSchemaProps } from "@kubewright/api";
import { expect, it } from "vitest";
import { validateCustomResourceDefinitionBody } from "./validate-crd.js";

function definition(properties: { [name: string]: JSONSchemaProps }): CustomResourceDefinition {
  const names = { plural: "as", singular: "a", kind: "A", listKind: "AList" };
  const spec: JSONSchemaProps = { type: "object", properties };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "as.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
    status: { storedVersions: ["v1"] },
  };
}

const large = (child: JSONSchemaProps): CustomResourceDefinition =>
  definition(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, child])));

it.each<[string, JSONSchemaProps]>([
  ["properties", { type: "string" }],
  ["defaults", { type: "string", default: "a" }],
  ["alternatives", { type: "string", anyOf: [{ minLength: 1 }, { maxLength: 5 }] }],
])("a definition with very many %s is looked at with many pauses", (_what, child) => {
  const crd = large(child);
  const [created, updated] = [undefined, crd].map((old) => [
    ...validateCustomResourceDefinitionBody(crd, old),
  ]);
  expect(created?.length).toBeGreaterThan(100);
  expect(updated?.length).toBeGreaterThan(created?.length ?? 0);
});

it("a small one is looked at with few", () => {
  const crd = definition({ a: { type: "string" } });
  expect([...validateCustomResourceDefinitionBody(crd)].length).toBeLessThan(15);
});
