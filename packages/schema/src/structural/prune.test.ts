import type { JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compiled-schema.js";

const object = (properties: Readonly<Record<string, JSONSchemaProps>>): JSONSchemaProps => ({
  type: "object",
  properties,
});
const string = { type: "string" };
const preserve = { "x-kubernetes-preserve-unknown-fields": true };
const embedded = { "x-kubernetes-embedded-resource": true };

describe("schema pruning", () => {
  const cases: readonly {
    what: string;
    schema: JSONSchemaProps;
    given: object;
    expected: object;
    removed: string[];
  }[] = [
    {
      what: "an unknown field",
      schema: object({ a: string }),
      given: { a: "x", b: { c: 1 } },
      expected: { a: "x" },
      removed: ["b"],
    },
    {
      what: "unknown fields deep down, sorted",
      schema: object({ o: object({ l: { type: "array", items: object({ a: string }) } }) }),
      given: { o: { z: 1, l: [{ a: "x" }, { b: 1 }] } },
      expected: { o: { l: [{ a: "x" }, {}] } },
      removed: ["o.l[1].b", "o.z"],
    },
    {
      what: "apiVersion, kind and metadata stay at the root, and what is in metadata",
      schema: object({}),
      given: { apiVersion: "v1", kind: "A", metadata: { name: "x", odd: 1 } },
      expected: { apiVersion: "v1", kind: "A", metadata: { name: "x", odd: 1 } },
      removed: [],
    },
    {
      what: "apiVersion and kind are fields like any other further down",
      schema: object({ o: object({}) }),
      given: { o: { apiVersion: "v1", kind: "A" } },
      expected: { o: {} },
      removed: ["o.apiVersion", "o.kind"],
    },
    {
      what: "preserved unknown fields stay, known ones among them are pruned",
      schema: object({ o: { ...object({ k: object({ a: string }) }), ...preserve } }),
      given: { o: { free: { deep: [1, { x: 1 }] }, k: { a: "x", b: 1 } } },
      expected: { o: { free: { deep: [1, { x: 1 }] }, k: { a: "x" } } },
      removed: ["o.k.b"],
    },
    {
      what: "preserved lists stay as they are",
      schema: object({ o: preserve }),
      given: { o: [{ a: 1 }, [{ b: 2 }]] },
      expected: { o: [{ a: 1 }, [{ b: 2 }]] },
      removed: [],
    },
    {
      what: "maps keep every key, and prune the values",
      schema: object({ m: { type: "object", additionalProperties: object({ a: string }) } }),
      given: { m: { x: { a: "1", b: 2 } } },
      expected: { m: { x: { a: "1" } } },
      removed: ["m.x.b"],
    },
    {
      what: "additionalProperties: true keeps keys, but not what is inside objects",
      schema: object({ m: { type: "object", additionalProperties: true } }),
      given: { m: { x: 1, y: { z: 1 } } },
      expected: { m: { x: 1, y: {} } },
      removed: ["m.y.z"],
    },
    {
      what: "an object without declared fields is emptied",
      schema: object({ o: { type: "object" } }),
      given: { o: { a: 1 } },
      expected: { o: {} },
      removed: ["o.a"],
    },
    {
      what: "the metadata of embedded objects stays, other unknown fields go",
      schema: object({ t: { ...object({ spec: object({ a: string }) }), ...embedded } }),
      given: {
        t: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { a: "x", b: 1 }, other: 1 },
      },
      expected: { t: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { a: "x" } } },
      removed: ["t.other", "t.spec.b"],
    },
  ];

  it.each(cases)("$what", ({ schema, given, expected, removed }) => {
    const value = structuredClone(given);
    expect(compileSchema(schema).prune(value)).toEqual(removed);
    expect(value).toEqual(expected);
  });

  it("treats __proto__ as a key like any other", () => {
    const value = JSON.parse('{"spec": {"__proto__": {"a": 1}, "a": "x"}}');
    expect(compileSchema(object({ spec: object({ a: string }) })).prune(value)).toEqual(["spec.__proto__"]);
    expect(JSON.stringify(value)).toBe('{"spec":{"a":"x"}}');
  });

  it("prunes the meta fields of a part of an object", () => {
    const value = { kind: "x", a: "y" };
    expect(compileSchema(object({ a: string }), { resource: false }).prune(value)).toEqual(["kind"]);
  });
});

describe("the metadata of an embedded resource", () => {
  const schema = compileSchema(object({ t: { type: "object", ...embedded, ...preserve } }));

  it("is pruned of unknown and empty fields", () => {
    const value = {
      t: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", bogus: 1, labels: {}, creationTimestamp: null },
        spec: { kept: 1 },
      },
    };
    expect(schema.normalize(value).unknownFields).toEqual(["t.metadata.bogus"]);
    expect(value).toEqual({
      t: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { kept: 1 } },
    });
  });

  it("of a wrong type makes a request fail to decode", () => {
    const { error } = schema.normalize({ t: { metadata: { labels: { a: 1 } } } });
    expect(error?.field).toBe("t.metadata");
    expect(error?.message).toBe(
      'Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });

  it("of a wrong type is dropped from a stored object", () => {
    const value = { t: { apiVersion: 1, kind: "Pod", metadata: { name: "p", labels: 5 } } };
    expect(schema.normalize(value, "storage").error).toBeUndefined();
    expect(value).toEqual({ t: { kind: "Pod", metadata: { name: "p" } } });
  });
});
