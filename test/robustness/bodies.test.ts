// Bodies of every kind, ordinary but for some places: they are taken or refused, and never break the server.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { faultOf } from "./faults.js";
import { hostileValue, mutated, mutatedBytes } from "./mutations.js";
import { definition, gadget, type Sample, samples } from "./samples.js";
import { type Sent, Target } from "./target.js";

let target: Target;
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

beforeAll(async () => {
  target = new Target();
  await target.must({ method: "POST", path: definition.path, object: definition.object });
  await vi.waitUntil(async () => (await target.send({ method: "GET", path: gadget.path })).status === 200);
  for (const { path, object } of samples)
    if (object !== definition.object) await target.must({ method: "POST", path, object });
});

afterAll(async () => {
  // Whatever was stored can still be shown.
  for (const { path } of samples) {
    for (const headers of [table, { accept: "application/yaml" }, {}])
      expect((await target.send({ method: "GET", path, headers })).status).toBe(200);
  }
  expect(await target.uncaught()).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  target.close();
});

/** Every answer is a success or a refusal; an internal error would be a mistake of ours. */
async function isAnswered(sent: Sent): Promise<void> {
  const response = await target.send(sent);
  expect(faultOf(response), `${sent.method} ${sent.path} ${sent.type ?? ""}`).toBeUndefined();
}

const anySample = fc.constantFrom(...samples);
const withBody = anySample.chain((sample) =>
  fc.tuple(fc.constant(sample), mutated(sample.object), fc.boolean()),
);
const patchTypes = [
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
] as const;
const runs = { numRuns: 400 };

const place = ({ path, object, subresources = [] }: Sample, which: number): string => {
  const name = `${path}/${object.metadata.name}`;
  const subresource = subresources[which % (subresources.length + 2)];
  return subresource ? `${name}/${subresource}` : name;
};

describe("objects", () => {
  test("that are created", () =>
    fc.assert(
      fc.asyncProperty(withBody, async ([{ path }, object, asText]) => {
        const body = asText ? { bytes: JSON.stringify(object) } : { object };
        await isAnswered({ method: "POST", path, query: "dryRun=All", ...body });
        await isAnswered({ method: "POST", path, query: "fieldValidation=Strict", ...body });
      }),
      runs,
    ));

  test("that are put", () =>
    fc.assert(
      fc.asyncProperty(withBody, fc.nat(10), async ([sample, object], which) => {
        await isAnswered({ method: "PUT", path: place(sample, which), object });
      }),
      runs,
    ));

  test("that say how to delete", () => {
    const options = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 1,
      propagationPolicy: "Foreground",
      preconditions: { uid: "u" },
      dryRun: ["All"],
    };
    return fc.assert(
      fc.asyncProperty(anySample, mutated(options), async ({ path, object: { metadata } }, object) => {
        await isAnswered({ method: "DELETE", path: `${path}/${metadata.name}`, query: "dryRun=All", object });
      }),
      { numRuns: 200 },
    );
  });

  test("that ask for something", () => {
    const paths = [
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      "/apis/authentication.k8s.io/v1/tokenreviews",
      "/api/v1/namespaces/default/serviceaccounts/default/token",
      "/api/v1/namespaces/default/pods/sample/eviction",
      "/api/v1/namespaces/default/pods/sample/binding",
      "/api/v1/namespaces/default/finalize",
    ];
    const spec = {
      user: "u",
      groups: ["g"],
      token: "t",
      audiences: ["a"],
      expirationSeconds: 600,
      namespace: "default",
      resourceAttributes: { verb: "get", resource: "pods" },
    };
    return fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        mutated({ spec, target: { name: "n" }, metadata: {} }),
        async (path, object) => {
          await isAnswered({ method: "POST", path, object });
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("patches", () => {
  test("that are objects", () =>
    fc.assert(
      fc.asyncProperty(
        withBody,
        fc.constantFrom(...patchTypes),
        fc.nat(10),
        async ([sample, patch, asText], type, which) => {
          const query = type === "application/apply-patch+yaml" ? "fieldManager=m&force=true" : "";
          const body = asText ? { bytes: JSON.stringify(patch) } : { object: patch };
          await isAnswered({ method: "PATCH", path: place(sample, which), type, query, ...body });
        },
      ),
      runs,
    ));

  const pointer = fc.oneof(
    fc.constantFrom(
      "",
      "/",
      "/metadata",
      "/metadata/name",
      "/metadata/labels/app",
      "/spec",
      "/spec/template",
      "/spec/containers/0",
    ),
    fc.constantFrom(
      "/spec/containers/-",
      "/spec/containers/99",
      "/metadata/labels/a~1b",
      "/~2",
      "spec",
      "/__proto__/polluted",
      "/constructor/prototype/polluted",
    ),
    fc
      .array(fc.constantFrom("spec", "metadata", "0", "-", "-1", "01", "", "~0", "length"))
      .map((keys) => `/${keys.join("/")}`),
  );
  const operation = fc.record(
    {
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "x"),
      path: pointer,
      from: pointer,
      value: hostileValue,
    },
    { requiredKeys: ["op"] },
  );

  test("that are operations", () =>
    fc.assert(
      fc.asyncProperty(
        anySample,
        fc.array(operation, { maxLength: 6 }),
        fc.nat(10),
        async (sample, object, which) => {
          await isAnswered({
            method: "PATCH",
            path: place(sample, which),
            type: "application/json-patch+json",
            object,
          });
        },
      ),
      runs,
    ));

  test("that are neither", () =>
    fc.assert(
      fc.asyncProperty(
        anySample,
        hostileValue,
        fc.constantFrom(...patchTypes, "application/json-patch+json", "text/plain"),
        async (sample, object, type) => {
          await isAnswered({
            method: "PATCH",
            path: place(sample, 0),
            type,
            query: "fieldManager=m",
            object,
          });
        },
      ),
      { numRuns: 200 },
    ));
});

describe("text and bytes", () => {
  const collections = fc.constantFrom(...samples);
  const text = (sample: Sample): string => JSON.stringify(sample.object);

  test.each([
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
    "",
  ])("that were JSON, sent as %j", (type) =>
    fc.assert(
      fc.asyncProperty(
        collections.chain((sample) =>
          fc.tuple(fc.constant(sample.path), mutatedBytes(Buffer.from(text(sample)))),
        ),
        async ([path, bytes]) => {
          await isAnswered({ method: "POST", path, type, bytes, query: "dryRun=All" });
        },
      ),
      { numRuns: 150 },
    ),
  );

  const yaml = `apiVersion: v1
kind: ConfigMap
metadata: &meta
  name: "y"
  labels: {a: b, "c": 'd'}
data:
  text: |+
    lines
     more
  folded: >-
    a
    b
  same: *meta
  <<: {x: y}
  ? complex
  : value
  number: 0o17
  date: 2026-01-01
  none: ~
`;

  test("that were YAML", () =>
    fc.assert(
      fc.asyncProperty(mutatedBytes(Buffer.from(yaml)), fc.boolean(), async (bytes, apply) => {
        const path = "/api/v1/namespaces/default/configmaps";
        if (apply)
          await isAnswered({
            method: "PATCH",
            path: `${path}/y`,
            type: "application/apply-patch+yaml",
            query: "fieldManager=m",
            bytes,
          });
        else await isAnswered({ method: "POST", path, type: "application/yaml", bytes });
      }),
      { numRuns: 300 },
    ));

  /** A field of a protobuf message: a message or text inside it. */
  const field = (number: number, content: Buffer | string): Buffer => {
    const bytes = Buffer.from(content);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  };
  const metadata = field(
    1,
    Buffer.concat([field(1, "pb"), field(11, Buffer.concat([field(1, "app"), field(2, "web")]))]),
  );
  const messages: [kind: string, plural: string, raw: Buffer][] = [
    [
      "ConfigMap",
      "configmaps",
      Buffer.concat([metadata, field(2, Buffer.concat([field(1, "key"), field(2, "value")]))]),
    ],
    [
      "Pod",
      "pods",
      Buffer.concat([
        metadata,
        field(
          2,
          field(2, Buffer.concat([field(1, "web"), field(2, "nginx"), field(6, Buffer.from([0x18, 80]))])),
        ),
      ]),
    ],
    [
      "Service",
      "services",
      Buffer.concat([
        metadata,
        field(2, Buffer.concat([field(1, Buffer.from([0x18, 80])), field(4, "ClusterIP")])),
      ]),
    ],
  ];
  const envelope = (kind: string, raw: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from("k8s\0"),
      field(1, Buffer.concat([field(1, "v1"), field(2, kind)])),
      field(2, raw),
    ]);

  test.each(messages)("that were a %s in protobuf", async (kind, plural, raw) => {
    const path = `/api/v1/namespaces/default/${plural}`;
    const type = "application/vnd.kubernetes.protobuf";
    const whole = envelope(kind, raw);
    await target.must({ method: "POST", path, type, query: "dryRun=All", bytes: whole });
    await fc.assert(
      fc.asyncProperty(mutatedBytes(whole), async (bytes) => {
        await isAnswered({ method: "POST", path, type, query: "dryRun=All", bytes });
      }),
      { numRuns: 200 },
    );
  });
});
