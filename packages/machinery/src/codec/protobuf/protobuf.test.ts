import { apiVersionOf, type GroupVersionKind, type TypeInfo } from "@kubewright/api";
import { discoveryGroups, kindTypeInfo, protobufMessageOf } from "@kubewright/api/type-info";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeBuiltIn } from "../built-in/normalize-built-in.js";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { decodeProtobuf } from "./decode-protobuf.js";
import { encodeProtobuf } from "./encode-protobuf.js";
import { openEnvelope, sealEnvelope } from "./envelope.js";
import { ProtobufError } from "./protobuf-error.js";
import { WireWriter } from "./wire-writer.js";

const deployment: GroupVersionKind = { group: "apps", version: "v1", kind: "Deployment" };
const pod: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };
const crd: GroupVersionKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
};

function normalized(value: MutableObject, gvk: GroupVersionKind): MutableObject {
  const typeInfo = kindTypeInfo(gvk)!;
  const copy = structuredClone(value);
  expect(normalizeBuiltIn(copy, typeInfo)).toEqual({ error: undefined, unknownFields: [] });
  return copy;
}

function roundTrip(value: MutableObject, gvk: GroupVersionKind): MutableObject {
  return normalized(decodeProtobuf(encodeProtobuf(value, gvk), gvk).value, gvk);
}

/** Objects of a type, down to a few levels. */
function arbitraryOf(typeInfo: TypeInfo, depth: number): fc.Arbitrary<MutableJson> {
  switch (typeInfo.kind) {
    case "any":
      return fc.constantFrom<MutableJson>({ a: 1 }, { b: ["x", null, 1.5] });
    // Protobuf does not distinguish an empty collection from none.
    case "list":
      if (depth <= 0) return fc.constant(null);
      return fc.array(arbitraryOf(typeInfo.item, depth - 1), { minLength: 1, maxLength: 2 });
    case "map":
      if (depth <= 0) return fc.constant(null);
      return fc.dictionary(
        fc.constantFrom("a", "b.c/d", "__proto__x", "1"),
        arbitraryOf(typeInfo.value, depth - 1),
        {
          minKeys: 1,
          maxKeys: 2,
          noNullPrototype: true,
        },
      );
    case "struct": {
      if (depth <= 0) return fc.constant({});
      const fields = [...typeInfo.fields.values()].filter(
        ({ name }) => name !== "apiVersion" && name !== "kind",
      );
      const chosen = fc.subarray(fields, { maxLength: Math.min(6, fields.length) });
      return chosen.chain((some) =>
        fc.record(Object.fromEntries(some.map(({ name, type }) => [name, arbitraryOf(type, depth - 1)])), {
          noNullPrototype: true,
        }),
      );
    }
    case "scalar":
      return scalarOf(typeInfo.type, typeInfo.format);
  }
}

function scalarOf(type: string, format: string | undefined): fc.Arbitrary<MutableJson> {
  if (type === "boolean") return fc.boolean();
  if (type === "number") return fc.constantFrom(0, 1.5, -2, 1e10);
  if (type === "int-or-string") return fc.oneof(fc.integer(), fc.constantFrom("25%", "http", ""));
  if (type === "integer") return format === "int32" ? fc.integer() : fc.maxSafeInteger();
  if (format === "date-time") return fc.constantFrom("2026-01-02T03:04:05Z", "1969-12-31T23:59:59Z");
  if (format === "micro-time") return fc.constantFrom("2026-01-02T03:04:05.678901Z");
  if (format === "quantity") return fc.constantFrom("500m", "1Gi", "0", "1e3");
  if (format === "byte")
    return fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString("base64"));
  return fc.oneof(fc.string({ unit: "grapheme", maxLength: 8 }), fc.constant("x"));
}

const kinds = discoveryGroups().flatMap(({ metadata, versions }) =>
  versions.flatMap(({ version, resources }) =>
    resources.map(
      ({ responseKind }): GroupVersionKind => ({
        group: metadata.name ?? "",
        version,
        kind: responseKind.kind,
      }),
    ),
  ),
);

/** Bodies as kubectl 1.32 sent them. */
const sentByKubectl: readonly (readonly [string, GroupVersionKind, string, MutableObject])[] = [
  [
    "create configmap",
    { group: "", version: "v1", kind: "ConfigMap" },
    "6b3873000a0f0a0276311209436f6e6669674d617012240a140a0464656d6f12001a0022002a00320038004200120c0a036b6579120576616c75651a002200",
    { metadata: { name: "demo" }, data: { key: "value" } },
  ],
  [
    "create deployment",
    deployment,
    "6b3873000a150a07617070732f7631120a4465706c6f796d656e7412bd010a1f0a0377656212001a0022002a003200380042005a0a0a036170701203776562128b010803120c0a0a0a0361707012037765621a710a1c0a0012001a0022002a003200380042005a0a0a036170701203776562125112330a056e67696e78120a6e67696e783a312e32352a00320a0a001000185022002a0042006a007200800100880100900100a201001a00320042004a0052005800600068008201008a01009a0100c2010022020a00280038001a0c0800100018002000280038001a002200",
    {
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              { name: "nginx", image: "nginx:1.25", ports: [{ containerPort: 80 }], resources: {} },
            ],
          },
        },
        strategy: {},
      },
      status: {},
    },
  ],
  [
    "create secret",
    { group: "", version: "v1", kind: "Secret" },
    "6b3873000a0c0a027631120653656372657412230a110a017312001a0022002a00320038004200120c0a0170120768756e746572321a001a002200",
    { metadata: { name: "s" }, data: { p: "aHVudGVyMg==" } },
  ],
  [
    "create service",
    { group: "", version: "v1", kind: "Service" },
    "6b3873000a0d0a02763112075365727669636512690a1f0a0373766312001a0022002a003200380042005a0a0a03617070120373766312420a1b0a0738302d38303830120354435018502207080010903f1a002800120a0a0361707012037376631a002209436c757374657249503a00420052005a00600068001a020a001a002200",
    {
      metadata: { name: "svc", labels: { app: "svc" } },
      spec: {
        type: "ClusterIP",
        selector: { app: "svc" },
        ports: [{ name: "80-8080", protocol: "TCP", port: 80, targetPort: 8080 }],
      },
      status: { loadBalancer: {} },
    },
  ],
  [
    "create quota",
    { group: "", version: "v1", kind: "ResourceQuota" },
    "6b3873000a130a027631120d5265736f7572636551756f746112330a110a017112001a0022002a00320038004200121c0a0a0a0363707512030a01310a0e0a066d656d6f727912040a0231471a001a002200",
    { metadata: { name: "q" }, spec: { hard: { cpu: "1", memory: "1G" } }, status: {} },
  ],
  [
    "create token",
    { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
    "6b3873000a280a1861757468656e7469636174696f6e2e6b38732e696f2f7631120c546f6b656e52657175657374121d0a100a0012001a0022002a00320038004200120320901c1a040a0012001a002200",
    {
      metadata: {},
      spec: { audiences: null, expirationSeconds: 3600, boundObjectRef: null },
      status: { token: "", expirationTimestamp: null },
    },
  ],
  [
    "create ingress",
    { group: "networking.k8s.io", version: "v1", kind: "Ingress" },
    "6b3873000a1f0a146e6574776f726b696e672e6b38732e696f2f76311207496e6772657373124a0a130a03696e6712001a0022002a00320038004200122f1a2d0a07666f6f2e636f6d12220a200a1e0a042f626172120f220d0a047376633112050a0010903f1a0545786163741a020a001a002200",
    {
      metadata: { name: "ing" },
      spec: {
        rules: [
          {
            host: "foo.com",
            http: {
              paths: [
                {
                  path: "/bar",
                  pathType: "Exact",
                  backend: { service: { name: "svc1", port: { number: 8080 } } },
                },
              ],
            },
          },
        ],
      },
      status: { loadBalancer: {} },
    },
  ],
];

describe("protobuf bodies", () => {
  it("knows the message of every kind", () => {
    const unknown = kinds.filter((gvk) => protobufMessageOf(gvk) === undefined);
    expect(unknown).toEqual([]);
    expect(kinds.length).toBeGreaterThan(60);
  });

  it.each(kinds.map((gvk) => [`${apiVersionOf(gvk)} ${gvk.kind}`, gvk] as const))(
    "carry any %s unchanged",
    (_name, gvk) => {
      const arbitrary = arbitraryOf(kindTypeInfo(gvk)!, 5);
      fc.assert(
        fc.property(arbitrary, (generated) => {
          const value = normalized({ ...(generated as MutableObject), ...typeMeta(gvk) }, gvk);
          expect(roundTrip(value, gvk)).toEqual(value);
        }),
        { numRuns: 15 },
      );
    },
  );

  it("keep pointers to zero and drop plain zeroes, as Go does", () => {
    const value = roundTrip(
      { ...typeMeta(deployment), spec: { replicas: 0, minReadySeconds: 0, paused: false } },
      deployment,
    );
    expect(value["spec"]).toMatchObject({ replicas: 0 });
    expect(value["spec"]).not.toHaveProperty("minReadySeconds");
    expect(value["status"]).toEqual({});
  });

  it("keep the entries of maps whose values are times not set", () => {
    const budget: GroupVersionKind = { group: "policy", version: "v1", kind: "PodDisruptionBudget" };
    const disruptedPods = { set: "2024-02-29T23:59:59Z", unset: null };
    expect(roundTrip({ status: { disruptedPods } }, budget)).toMatchObject({ status: { disruptedPods } });
  });

  it("carry both forms of the places in a schema that have two", () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "array", items: { type: "string" } },
        b: { type: "object", additionalProperties: false },
        c: { type: "object", additionalProperties: { type: "integer", default: 5 } },
        d: { enum: ["x", null, 1], default: { deep: [1] } },
      },
    };
    const spec = {
      group: "g",
      names: { kind: "K", plural: "ks" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    };
    const value = roundTrip({ ...typeMeta(crd), spec }, crd);
    expect(value["spec"]).toEqual(spec);
  });

  it.each(sentByKubectl)("of kubectl %s are understood", (_command, gvk, hex, object) => {
    const { value } = decodeProtobuf(Buffer.from(hex, "hex"), gvk);
    expect(normalized(value, gvk)).toEqual({ ...typeMeta(gvk), ...object });
  });

  it.each(sentByKubectl)("are written as kubectl %s writes them", (_command, gvk, hex, object) => {
    expect(Buffer.from(encodeProtobuf(object, gvk)).toString("hex")).toBe(hex);
  });

  it("take the kind of the endpoint where the envelope names none", () => {
    const { raw } = openEnvelope(encodeProtobuf({ metadata: { name: "p" } }, pod));
    const bytes = sealEnvelope({ apiVersion: "", kind: "", raw });
    expect(decodeProtobuf(bytes, pod).value).toMatchObject({ metadata: { name: "p" } });
  });

  it.each([9007199254740993n, 9223372036854775807n, -9223372036854775808n])(
    "keep the integer %s",
    (integer) => {
      const bytes = encodeProtobuf({ spec: { terminationGracePeriodSeconds: integer } }, pod);
      const { value } = decodeProtobuf(bytes, pod);
      expect(normalizeBuiltIn(value, kindTypeInfo(pod)!).error).toBeUndefined();
      expect(value).toMatchObject({ spec: { terminationGracePeriodSeconds: integer } });
    },
  );

  it("keep integers in JSON inside", () => {
    const revision = { group: "apps", version: "v1", kind: "ControllerRevision" };
    const bytes = encodeProtobuf({ data: { big: 9223372036854775807n } }, revision);
    expect(decodeProtobuf(bytes, revision).value).toMatchObject({ data: { big: 9223372036854775807n } });
  });

  it.each([
    ["nothing", Buffer.alloc(0), "empty data"],
    ["no envelope", Buffer.from('{"a":1}'), "does not appear to be a protobuf message"],
    ["a length beyond the end", Buffer.from("6b3873000aff", "hex"), "unexpected EOF"],
    ["a group", Buffer.from("6b3873000b", "hex"), "illegal wireType 3"],
    ["field number zero", Buffer.from("6b38730002", "hex"), "illegal tag"],
    ["an endless varint", Buffer.from(`6b38730008${"ff".repeat(11)}`, "hex"), "integer overflow"],
  ])("refuse %s", (_what, bytes, message) => {
    expect(() => decodeProtobuf(bytes, pod)).toThrow(ProtobufError);
    expect(() => decodeProtobuf(bytes, pod)).toThrow(message);
  });

  it("refuse absurd nesting", () => {
    let schema = new WireWriter().finish();
    for (let i = 0; i < 5000; i++) {
      const outer = new WireWriter();
      outer.bytes(28, schema); // not
      schema = outer.finish();
    }
    const wrap = (number: number, bytes: Uint8Array): Buffer => {
      const writer = new WireWriter();
      writer.bytes(number, bytes);
      return writer.finish();
    };
    const raw = wrap(2, wrap(7, wrap(4, wrap(1, schema))));
    const bytes = sealEnvelope({ apiVersion: "apiextensions.k8s.io/v1", kind: crd.kind, raw });
    expect(() => decodeProtobuf(bytes, crd)).toThrow("exceeded max depth");
  });

  it("survive arbitrary and damaged bytes", () => {
    const survive = (bytes: Uint8Array): void => {
      try {
        decodeProtobuf(bytes, pod);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (raw) =>
        survive(sealEnvelope({ apiVersion: "v1", kind: "Pod", raw: Buffer.from(raw) })),
      ),
    );
    const good = encodeProtobuf(
      {
        metadata: { name: "p", labels: { a: "b" } },
        spec: { containers: [{ name: "c", ports: [{ containerPort: 1 }] }] },
      },
      pod,
    );
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
        const damaged = Uint8Array.from(good);
        damaged[at] = byte;
        survive(damaged);
        survive(damaged.subarray(0, at));
      }),
      { numRuns: 500 },
    );
  });
});

function typeMeta(gvk: GroupVersionKind): MutableObject {
  return { apiVersion: apiVersionOf(gvk), kind: gvk.kind };
}

describe("protobuf maps", () => {
  it("keep __proto__ as data where a map holds messages", () => {
    const gvk = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
    const properties = JSON.parse('{"__proto__":{"type":"string"}}');
    const versions = [{ name: "v1", schema: { openAPIV3Schema: { type: "object", properties } } }];
    const { value } = decodeProtobuf(encodeProtobuf({ spec: { versions } } as MutableObject, gvk), gvk);
    expect(Object.hasOwn(Object.prototype, "type")).toBe(false);
    expect(JSON.stringify(value)).toMatch(/"__proto__":\{[^}]*"type":"string"/);
  });
});
