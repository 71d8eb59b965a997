import { existsSync, readFileSync } from "node:fs";
import { ApiError, type GroupVersionKind } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeMetadata } from "./built-in/normalize-built-in.js";
import { builtInDecoder, decodeObject, type FieldValidation, type ObjectDecoder } from "./decode-object.js";
import { encodeProtobuf } from "./protobuf/encode-protobuf.js";

const configMap: GroupVersionKind = { group: "", version: "v1", kind: "ConfigMap" };
const deployment: GroupVersionKind = { group: "apps", version: "v1", kind: "Deployment" };
const widget: ObjectDecoder = {
  gvk: { group: "example.com", version: "v1", kind: "Widget" },
  custom: true,
  normalize: normalizeMetadata,
};

const bytes = (text: string) => ({ kind: "bytes", bytes: Buffer.from(text) }) as const;

function decode(
  text: string,
  {
    decoder = builtInDecoder(configMap),
    type = "application/json",
    validation = "Warn",
  }: { decoder?: ObjectDecoder; type?: string | undefined; validation?: FieldValidation } = {},
) {
  return decodeObject(bytes(text), type, decoder, validation);
}

function refusal(run: () => unknown): { code: number; reason: string; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("decoding a body", () => {
  it("fills in what the endpoint knows", () => {
    expect(decode('{"metadata":{"name":"a"}}').value).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
    });
    expect(decode("null").value).toMatchObject({ kind: "ConfigMap" });
  });

  it.each([
    ["application/json; charset=utf-8", '{"data":{"a":"b"}}'],
    [undefined, '{"data":{"a":"b"}}'],
    ["application/yaml", "data:\n  a: b\n"],
    ["Application/JSON", '{"data":{"a":"b"}}'],
  ])("reads %s", (type, text) => {
    expect(decodeObject(bytes(text), type, builtInDecoder(configMap), "Warn").value["data"]).toEqual({
      a: "b",
    });
  });

  it("reads protobuf", () => {
    const body = {
      kind: "bytes",
      bytes: encodeProtobuf({ metadata: { name: "a" }, data: { k: "v" } }, configMap),
    } as const;
    const { value } = decodeObject(
      body,
      "application/vnd.kubernetes.protobuf",
      builtInDecoder(configMap),
      "Strict",
    );
    expect(value).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } });
  });

  it("copies objects handed over in process", () => {
    const given = Object.freeze({ metadata: Object.freeze({ name: "a", labels: Object.freeze({}) }) });
    const { value } = decodeObject(
      { kind: "object", value: given },
      undefined,
      builtInDecoder(configMap),
      "Warn",
    );
    expect(value["metadata"]).toEqual({ name: "a" });
    expect(given.metadata).toHaveProperty("labels");
  });

  it.each([
    [[]],
    ["text"],
    [{ metadata: { name: Symbol("x") } }],
    [{ data: new Date() }],
    [{ data: { a: Number.NaN } }],
  ])("refuses what could not have come as JSON: %s", (value) => {
    const run = () => decodeObject({ kind: "object", value }, undefined, builtInDecoder(configMap), "Warn");
    expect(refusal(run).code).toBe(400);
  });

  it("refuses media types with 415 and large bodies with 413, as kube-apiserver does", () => {
    expect(refusal(() => decode("hello", { type: "text/plain" }))).toEqual({
      code: 415,
      reason: "UnsupportedMediaType",
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    });
    expect(refusal(() => decode(" ".repeat(3 * 1024 * 1024 + 1)))).toEqual({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728",
    });
  });

  const unrecognized = "the object provided is unrecognized (must be of type ConfigMap): ";
  const noKind = `${unrecognized}couldn't get version/kind; json parse error: `;
  it.each([
    ["{not json", `${noKind}invalid character 'n' looking for beginning of object key string ({not json)`],
    ["", `${noKind}unexpected end of JSON input (<empty>)`],
    [
      "[]",
      `${noKind}json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
    ],
    [
      '{"kind":5}',
      `${noKind}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
    ],
    [
      '{"apiVersion":"a/b/c"}',
      `${unrecognized}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
    ],
    [`{"a":"${"x".repeat(50)}`, `${noKind}unexpected end of JSON input ({"a":"${"x".repeat(24)} ...)`],
  ])("refuses %j", (text, message) => {
    expect(refusal(() => decode(text))).toEqual({ code: 400, reason: "BadRequest", message });
  });

  it.each([
    [
      { apiVersion: "v1", kind: "Secret" },
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      { apiVersion: "v2", kind: "ConfigMap" },
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { apiVersion: "apps/v1", kind: "ConfigMap" },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      { apiVersion: "v1", kind: "ConfigMapList", items: [] },
      'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion',
    ],
  ])("refuses another kind: %j", (object, message) => {
    expect(refusal(() => decode(JSON.stringify(object))).message).toBe(message);
  });

  it("refuses another version of the same kind", () => {
    const decoder = builtInDecoder({ group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" });
    const text = '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}';
    expect(refusal(() => decode(text, { decoder })).message).toBe(
      "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
    );
  });

  it("wants a kind from custom objects, and checks their metadata", () => {
    expect(refusal(() => decode('{"metadata":{}}', { decoder: widget })).message).toContain(
      "Object 'Kind' is missing",
    );
    const wrong = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"labels":{"a":1}}}';
    expect(refusal(() => decode(wrong, { decoder: widget })).message).toBe(
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    const unknown =
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"nosuch":"x"},"spec":{"any":1}}';
    expect(decode(unknown, { decoder: widget })).toEqual({
      value: { apiVersion: "example.com/v1", kind: "Widget", metadata: {}, spec: { any: 1 } },
      warnings: ['unknown field "metadata.nosuch"'],
    });
  });

  const twice = '{"data":{"a":"1","a":"2"},"bogus":{"x":1,"x":2},"metadata":{"name":"dup"}}';
  it("warns of fields that stand twice and of fields it drops", () => {
    expect(decode(twice)).toEqual({
      value: { apiVersion: "v1", kind: "ConfigMap", data: { a: "2" }, metadata: { name: "dup" } },
      warnings: ['duplicate field "data.a"', 'unknown field "bogus"'],
    });
    expect(decode(twice, { validation: "Ignore" }).warnings).toEqual([]);
  });

  it("refuses them when strict", () => {
    expect(refusal(() => decode(twice, { validation: "Strict" })).message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "bogus"',
    );
    expect(
      refusal(() => decode("data: {a: b}\nbogus: 1\n", { type: "application/yaml", validation: "Strict" }))
        .message,
    ).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
    );
  });

  it("names unknown fields before the duplicates that follow them, as a typed object is read", () => {
    const text =
      '{"metadata":{"name":"x"},"spec":{"unknown1":1,"unknownDupe":1,"unknownDupe":2,"paused":true,"paused":false}}';
    const message = refusal(() =>
      decode(text, { decoder: builtInDecoder(deployment), validation: "Strict" }),
    ).message;
    expect(message).toContain(
      'strict decoding error: unknown field "spec.unknown1", unknown field "spec.unknownDupe", duplicate field "spec.paused"',
    );
  });

  it("names duplicates of a custom object before its unknown fields", () => {
    const text =
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"nosuch":1,"nosuch":2},"spec":{"a":1,"a":2}}';
    expect(decode(text, { decoder: widget }).warnings).toEqual([
      'duplicate field "metadata.nosuch"',
      'duplicate field "spec.a"',
      'unknown field "metadata.nosuch"',
    ]);
  });

  it("warns of every YAML key that stands twice", () => {
    const body = "data:\n  a: b\n  a: c\n  d: e\n  d: f\n";
    expect(decode(body, { type: "application/yaml" }).warnings).toEqual([
      'line 3: key "a" already set in map',
      'line 5: key "d" already set in map',
    ]);
  });

  it("never rounds an integer", () => {
    const decoder = builtInDecoder(deployment);
    const seconds = (text: string) =>
      decode(`{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${text}}}}}`, { decoder }).value;
    expect(seconds("9007199254740993")).toMatchObject({
      spec: { template: { spec: { terminationGracePeriodSeconds: 9007199254740993n } } },
    });
    expect(refusal(() => seconds("9223372036854775808")).message).toContain(
      "cannot unmarshal number 9223372036854775808 into Go struct field PodSpec.spec.template.spec.terminationGracePeriodSeconds of type int64",
    );
  });

  it("never rounds an integer of a custom object", () => {
    const text = '{"apiVersion":"example.com/v1","kind":"Widget","spec":{"id":9007199254740993}}';
    expect(decode(text, { decoder: widget }).value["spec"]).toEqual({ id: 9007199254740993n });
    const exact = '{"apiVersion":"example.com/v1","kind":"Widget","spec":{"id":9007199254740992,"x":1e300}}';
    expect(decode(exact, { decoder: widget }).value["spec"]).toEqual({ id: 2 ** 53, x: 1e300 });
  });

  it.each([
    ["JSON lists", "application/json", '{"data":'.padEnd(200_000, "["), 400],
    ["JSON objects", "application/json", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, 400],
    ["YAML lists", "application/yaml", "data: ".padEnd(100_000, "["), 400],
    ["YAML objects", "application/yaml", "{a: ".repeat(50_000), 400],
    ["YAML items", "application/yaml", "- ".repeat(50_000), 400],
  ])("refuses %s nested too deeply", (_what, type, text, code) => {
    expect(refusal(() => decode(text, { type })).code).toBe(code);
    expect(refusal(() => decode(text, { type, decoder: widget })).code).toBe(code);
  });

  it("refuses objects of this process nested too deeply, or in themselves", () => {
    const value: Record<string, unknown> = { metadata: {} };
    value["data"] = value;
    expect(refusal(() => decodeObject({ kind: "object", value }, undefined, widget, "Warn")).code).toBe(400);
  });

  it("takes no protobuf for custom objects", () => {
    const type = "application/vnd.kubernetes.protobuf";
    const body = { kind: "bytes", bytes: encodeProtobuf({}, configMap) } as const;
    expect(refusal(() => decodeObject(body, type, widget, "Warn")).code).toBe(400);
  });

  it("survives arbitrary bytes of every type", () => {
    const types = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.constantFrom(...types), (body, type) => {
        try {
          decodeObject({ kind: "bytes", bytes: body }, type, builtInDecoder(deployment), "Strict");
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

const recordings = new URL("../../../../../shared/golden/recordings/", import.meta.url);
const topics = [
  "malformed-requests",
  "dryrun-fieldvalidation",
  "core-configmap-secret",
  "events-leases",
  "validation-core",
  "validation-workloads",
];

describe.skipIf(!existsSync(recordings))("recorded refusals of kube-apiserver", () => {
  const cases = topics.flatMap((topic) => recordedRefusals(topic));

  it("are there", () => expect(cases.length).toBeGreaterThan(15));

  it.each(cases)("$name", ({ request, gvk, message }) => {
    const text = request.rawBody ?? JSON.stringify(request.body);
    const validation = (request.query?.fieldValidation ?? "Warn") as FieldValidation;
    const run = () =>
      decode(text, {
        decoder: builtInDecoder(gvk),
        type: request.contentType ?? "application/json",
        validation,
      });
    expect(refusal(run)).toEqual({ code: 400, reason: "BadRequest", message });
  });
});

interface Recorded {
  readonly name: string;
  readonly request: {
    readonly path: string;
    readonly body?: unknown;
    readonly rawBody?: string;
    readonly contentType?: string;
    readonly query?: { readonly fieldValidation?: string };
    readonly method: string;
  };
  readonly gvk: GroupVersionKind;
  readonly message: string;
}

/** Creates and updates of built-in kinds that failed while being decoded. */
function recordedRefusals(topic: string): Recorded[] {
  if (!existsSync(recordings)) return [];
  const read = (folder: string) =>
    JSON.parse(readFileSync(new URL(`${folder}/${topic}.json`, recordings), "utf8"));
  const requests = new Map<string, Recorded["request"]>();
  for (const step of read("scenarios").steps) requests.set(step.name, step.request);
  const found: Recorded[] = [];
  for (const step of read("transcripts").steps) {
    const message: string = step.body?.message ?? "";
    const expected = /(?:must be of type|cannot be handled as a) (\w+)/.exec(message)?.[1];
    const request = requests.get(step.name);
    if (step.status !== 400 || !expected || !request || request.method === "PATCH") continue;
    const [, root, first = "", second = ""] = request.path.split("/");
    const gvk =
      root === "api"
        ? { group: "", version: first, kind: expected }
        : { group: first, version: second, kind: expected };
    if (!gvk.group.includes("{{")) found.push({ name: `${topic}: ${step.name}`, request, gvk, message });
  }
  return found;
}
