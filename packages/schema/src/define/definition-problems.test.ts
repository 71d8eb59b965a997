import { describe, expect, it } from "vitest";
import { z } from "zod";
import { kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import { exactlyOneOf } from "./one-of.js";
import type { VersionOptions } from "./resource-options.js";
import { rule } from "./rule.js";

describe("defineResource refuses a definition and names the place", () => {
  const names = { group: "a.example.com", version: "v1", kind: "Thing" };
  const spec = z.object({ size: z.int(), name: z.string() });

  it.each<[string, VersionOptions, string]>([
    [
      "a schema",
      { spec: z.object({ at: z.date() }) },
      "Thing.a.example.com: spec.at: objects hold times as text",
    ],
    ["a status", { status: z.object({ at: z.date() }) }, "status.at: objects hold times as text"],
    [
      "a column",
      { spec, columns: { Version: ".status.version" } },
      "columns.Version: the path .status.version leads to no field",
    ],
    [
      "a column path",
      { spec, columns: { Size: "spec.size" } },
      "columns.Size: the path spec.size leads to no field",
    ],
    [
      "a scale path",
      { spec, scale: { spec: ".spec.replicas", status: ".spec.size" } },
      "scale.spec: the path .spec.replicas leads to no field",
    ],
    [
      "a scale type",
      { spec, scale: { spec: ".spec.name", status: ".spec.size" } },
      "scale.spec: the path .spec.name leads to a field of type string",
    ],
    [
      "a selectable field",
      { spec, selectableFields: [".spec.none"] },
      "selectableFields[0].jsonPath: Invalid value",
    ],
    [
      "a field all objects have",
      { fields: { metadata: z.object({}) } },
      "fields.metadata: every object has this field",
    ],
  ])("%s", (_name, options, message) => {
    expect(() => defineResource({ ...names, ...options })).toThrow(message);
  });

  it.each<[string, object, string]>([
    [
      "a group",
      { group: "example" },
      'group: Invalid value: "example": should be a domain with at least one dot',
    ],
    ["a version", { version: "1" }, 'version: Invalid value: "1"'],
    ["a kind", { kind: "my thing" }, 'kind: Invalid value: "my thing"'],
    ["a plural", { plural: "Things" }, 'plural: Invalid value: "Things"'],
    ["a short name", { shortNames: ["T"] }, 'shortNames[0]: Invalid value: "T"'],
    ["labels", { labels: { "-": "x" } }, 'metadata.labels: Invalid value: "-"'],
    [
      "two stored versions",
      { storage: true, versions: { v2: { storage: true } } },
      "exactly one version marked as storage version",
    ],
    ["a version twice", { versions: { v1: {} } }, "must contain unique version names"],
    [
      "a conversion",
      { conversion: { strategy: "Magic" } },
      'spec.conversion.strategy: Unsupported value: "Magic"',
    ],
  ])("%s", (_name, options, message) => {
    expect(() => defineResource({ ...names, ...options })).toThrow(message);
  });

  it.each<[string, z.ZodType, string]>([
    ["a default that does not validate", z.int().min(3).default(1), "spec.it.default: Invalid value: 1"],
    [
      "a default of the wrong type",
      z.object({ a: z.int() }).prefault(JSON.parse('{"a":"x"}')),
      "spec.it.default.a: Invalid value",
    ],
    [
      "a prefault that lacks a field",
      z.object({ a: z.int() }).prefault(JSON.parse("{}")),
      "spec.it.default.a: Required value",
    ],
    [
      "a pattern that is no pattern for RE2",
      z.string().regex(/^a{1,1001}$/),
      "spec.it.pattern: Invalid value",
    ],
    [
      "a key that may be missing",
      kube.listMap(z.object({ name: z.string().optional() }), ["name"]),
      "spec.it[].name",
    ],
    [
      "a rule that does not parse",
      z.int().check(rule("self >")),
      "spec.it.x-kubernetes-validations[0].rule: compilation failed: ERROR: <input>:1:7",
    ],
    ["a rule that does not type-check", z.int().check(rule("self == 'a'")), "found no matching overload"],
    [
      "a rule over a field that is not there",
      z.object({ a: z.int() }).check(rule("self.b > 0")),
      "undefined field 'b'",
    ],
    [
      "a rule that would cost too much",
      z.array(z.array(z.string())).check(rule("self.all(a, a.all(b, self.all(c, c.all(d, b == d))))")),
      "estimated rule cost",
    ],
    [
      "a transition rule where nothing is to compare",
      z.array(z.string().check(rule("self == oldSelf"))),
      "spec.it[].x-kubernetes-validations[0].rule",
    ],
    [
      "fields of which one is to be set",
      z.object({ a: z.int().optional() }).check(exactlyOneOf("a", "b")),
      "undefined field 'b'",
    ],
    [
      "a message with line breaks",
      z.int().check(rule("true", "a\nb")),
      "spec.it.x-kubernetes-validations[0].message",
    ],
    [
      "a path of a rule",
      z.object({ a: z.int() }).check(rule("true", { fieldPath: ".b" })),
      "spec.it.x-kubernetes-validations[0].fieldPath",
    ],
  ])("%s", (_name, it, message) => {
    expect(() => defineResource({ ...names, spec: z.object({ it }) })).toThrow(message);
  });

  it("where the problem is in another version", () => {
    const versions = { v1beta1: { spec: z.object({ at: z.date() }) } };
    expect(() => defineResource({ group: "a.example.com", version: "v1", kind: "Thing", versions })).toThrow(
      "versions.v1beta1.spec.at: objects hold times as text",
    );
  });
});
