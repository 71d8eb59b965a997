import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { TurnQueue } from "../request/turns.js";
import { isLargeSchema } from "./large-schema.js";
import { VersionSchema } from "./version-schema.js";

const strings = (count: number): JSONSchemaProps => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string" }])),
});

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const versionOf = (schema: JSONSchemaProps): VersionSchema =>
  new VersionSchema("example.com", {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
  });

describe("whether others should have their turn while a schema is prepared", () => {
  it.each<[what: string, schema: JSONSchemaProps, isLarge: boolean]>([
    ["a few properties", strings(50), false],
    ["thousands of properties", strings(2_000), true],
    ["properties of properties", { type: "object", properties: { a: strings(600), b: strings(600) } }, true],
    ["a few rules", { "x-kubernetes-validations": times(5, { rule: "self.a == self.b" }) }, false],
    ["long rules", { "x-kubernetes-validations": [{ rule: "a".repeat(50_000) }] }, true],
    ["thousands of alternatives", { anyOf: times(2_000, { required: ["a"] }) }, true],
    ["thousands of values", { type: "string", enum: times(2_000, "a") }, true],
    ["one short pattern", { type: "string", pattern: "^[a-z]{1,63}$" }, false],
  ])("%s: %#", (_what, schema, isLarge) => {
    expect(isLargeSchema(schema)).toBe(isLarge);
  });
});

describe("a version of a definition", () => {
  it("keeps nobody waiting where its schema is small", () => {
    expect(versionOf(strings(10)).prepared(new TurnQueue())).toBeUndefined();
  });

  it("is prepared once where its schema is large, and keeps nobody waiting afterwards", async () => {
    const version = versionOf(strings(5_000));
    const queue = new TurnQueue();
    const preparation = version.prepared(queue);
    expect(version.prepared(queue)).toBe(preparation);
    await preparation;
    expect(version.prepared(queue)).toBeUndefined();
    expect(version.facts.fields.size).toBe(5_003);
    expect(version.schema.validate({ p4999: 1 }).map(({ field }) => field)).toEqual(["p4999"]);
  });
});
