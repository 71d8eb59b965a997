import type { CustomResourceDefinition } from "@kubewright/api";
import { expect, it } from "vitest";
import { inTermsOfDefinition } from "./problem-place.js";

const crd: CustomResourceDefinition = {
  spec: {
    group: "a.example.com",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "Ready", type: "string", jsonPath: "x" }],
      },
      { name: "v1beta1", served: true, storage: false },
    ],
  },
};
const schema = "spec.versions[0].schema.openAPIV3Schema";

it.each([
  [`${schema}.properties[spec].properties[tier].default`, "spec.tier.default"],
  [
    `${schema}.properties[spec].properties[ports].items.properties[name].pattern`,
    "spec.ports[].name.pattern",
  ],
  [`${schema}.properties[spec].properties[labels].additionalProperties.type`, "spec.labels[*].type"],
  [`${schema}.properties[spec].x-kubernetes-validations[1].rule`, "spec.x-kubernetes-validations[1].rule"],
  [`${schema}.x-kubernetes-validations[0].rule`, "x-kubernetes-validations[0].rule"],
  [`${schema}.properties[spec].properties[items].items.type`, "spec.items[].type"],
  ["spec.versions[1].schema.openAPIV3Schema.properties[spec].type", "versions.v1beta1.spec.type"],
  ["spec.versions[1].name", "versions.v1beta1.name"],
  ["spec.validation.openAPIV3Schema.properties[spec].properties[tier].default", "spec.tier.default"],
  ["spec.additionalPrinterColumns[0].jsonPath", "columns.Ready.jsonPath"],
  ["spec.selectableFields[0].jsonPath", "selectableFields[0].jsonPath"],
  ["spec.subresources.scale.specReplicasPath", "scale.specReplicasPath"],
  ["spec.versions[0].name", "version"],
  ["spec.versions", "versions"],
  ["spec.versions[0].additionalPrinterColumns[0].jsonPath", "columns.Ready.jsonPath"],
  ["spec.versions[0].selectableFields[0].jsonPath", "selectableFields[0].jsonPath"],
  ["spec.versions[0].subresources.scale.specReplicasPath", "scale.specReplicasPath"],
  ["spec.names.shortNames[0]", "shortNames[0]"],
  ["spec.group", "group"],
  ["metadata.name", "metadata.name"],
])("the path %s of a CRD is reported as %s", (field, expected) => {
  const error = { field, reason: "FieldValueInvalid", message: "Invalid value" } as const;
  expect(inTermsOfDefinition(error, crd)).toEqual({ ...error, field: expected });
});

it("the path of a CRD problem omits the internal form of a rule, whose text follows", () => {
  const held =
    '{"Rule":"a \\"OptionalOldSelf\\":true}: b","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}';
  const message = `Invalid value: ${held}: compilation failed: ERROR: <input>:1:1: no`;
  const found = {
    field: `${schema}.x-kubernetes-validations[0].rule`,
    reason: "FieldValueInvalid",
    message,
  } as const;
  expect(inTermsOfDefinition(found, crd).message).toBe("compilation failed: ERROR: <input>:1:1: no");
});
