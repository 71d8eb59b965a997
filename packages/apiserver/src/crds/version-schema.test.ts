import type { JSONSchemaProps } from "@kubewright/api";
import { expect, it } from "vitest";
import { VersionSchema } from "./version-schema.js";

const strings = (count: number): JSONSchemaProps => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string" }])),
});

it.each([10, 5_000])("VersionSchema: a schema of %i properties has type info and validates", (count) => {
  const schema = { openAPIV3Schema: strings(count) };
  const version = new VersionSchema("example.com", { name: "v1", served: true, storage: true, schema });
  expect(version.facts.fields.size).toBe(count + 3);
  const last = `p${count - 1}`;
  expect(version.schema.validate({ [last]: 1 }).map(({ field }) => field)).toEqual([last]);
});
