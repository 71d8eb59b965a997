import type { JSONSchemaProps } from "@kubewright/api";
import { expect, it } from "vitest";
import { VersionSchema } from "./version-schema.js";

const strings = (count: number): JSONSchemaProps => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string" }])),
});

const versionOf = (schema: JSONSchemaProps): VersionSchema =>
  new VersionSchema("example.com", {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
  });

it("a version of a CRD compiles its schema when it is first needed, and once", () => {
  const version = versionOf(strings(5_000));
  expect(version.typeInfo.fields.size).toBe(5_003);
  expect(version.typeInfo).toBe(version.typeInfo);
  expect(version.schema).toBe(version.schema);
  expect(version.schema.validate({ p4999: 1 }).map(({ field }) => field)).toEqual(["p4999"]);
});
