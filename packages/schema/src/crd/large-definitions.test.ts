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
])("a CRD with 20,000 %s is accepted, on create and on update", (_what, child) => {
  const crd = large(child);
  expect(validateCustomResourceDefinitionBody(crd)).toEqual([]);
  expect(validateCustomResourceDefinitionBody(crd, crd)).toEqual([]);
});

it("a CRD whose schema nests too deep is refused with a field error", () => {
  let deep: JSONSchemaProps = { type: "string" };
  for (let level = 0; level < 5_000; level++) deep = { type: "object", properties: { a: deep } };
  expect(validateCustomResourceDefinitionBody(definition({ deep }))).toEqual([
    {
      field: "spec.validation.openAPIV3Schema",
      reason: "FieldValueForbidden",
      message: "Forbidden: must not be nested deeper than 500 levels",
    },
  ]);
});
