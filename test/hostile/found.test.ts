// What campaigns have found, each as small as it could be made. None of it may be the server's own mistake again.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { definition, gadget } from "../robustness/samples.js";
import { type Sent, Target } from "../robustness/target.js";

let target: Target;

beforeAll(async () => {
  target = new Target();
  await target.must({ method: "POST", path: definition.path, object: definition.object });
  await vi.waitUntil(async () => (await target.send({ method: "GET", path: gadget.path })).status === 200);
  await target.must({ method: "POST", path: gadget.path, object: gadget.object });
});

afterAll(() => target.close());

const limits = (list: object) => ({
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "sample" },
  spec: { limits: [{ type: "Container", ...list }] },
});

const podWith = (spec: object): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "sample" },
    spec: { containers: [{ name: "a", image: "a" }], ...spec },
  });

const defined = (spec: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "wrongs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "wrongs", kind: "Wrong" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
  },
});

const untyped = (count: number) => {
  const properties = Array.from({ length: count }, (_, index) => [`a${index.toString(36)}`, {}]);
  return defined({ type: "object", properties: Object.fromEntries(properties) });
};

test.each<[what: string, sent: Sent, status: number]>([
  ...["__proto__", "constructor", "toString"].map((apiVersion): [string, Sent, number] => [
    `an API version ${apiVersion}, which every JavaScript object has a member of`,
    {
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      object: { apiVersion, kind: "ConfigMap", metadata: { name: "a" } },
    },
    400,
  ]),
  [
    "a resource called as a part of every object",
    {
      method: "POST",
      path: "/api/v1/namespaces/default/limitranges",
      query: "dryRun=All",
      object: limits({ default: { cpu: "1", constructor: "1" }, max: { cpu: "2" } }),
    },
    422,
  ],
  [
    "a manager with a great many characters that cannot be printed",
    {
      method: "PATCH",
      path: `${gadget.path}/sample`,
      query: new URLSearchParams({ fieldManager: "\n".repeat(70_000) }),
      type: "application/merge-patch+json",
      bytes: "{}",
    },
    422,
  ],
  [
    "more wrong keys than arguments a function takes",
    {
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      bytes: JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "keys" },
        binaryData: Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`!${index}`, ""])),
      }),
    },
    422,
  ],
  [
    "more warnings than arguments a function takes",
    {
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      query: "dryRun=All",
      bytes: podWith({
        imagePullSecrets: Array.from({ length: 140_000 }, () => ({})),
      }),
    },
    201,
  ],
  [
    "limits of a pod for more sizes of pages than could be copied for each of them",
    {
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      query: "dryRun=All",
      bytes: podWith({
        resources: {
          limits: Object.fromEntries(
            Array.from({ length: 20_000 }, (_, index) => [`hugepages-${index + 1}Ki`, "0"]),
          ),
        },
      }),
    },
    422,
  ],
  [
    "a quota of more scopes than could all be shown by an error about each of them",
    {
      method: "POST",
      path: "/api/v1/namespaces/default/resourcequotas",
      bytes: JSON.stringify({
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "scopes" },
        spec: {
          hard: { pods: "1", "requests.cpu": "1" },
          scopeSelector: {
            matchExpressions: Array.from({ length: 12_000 }, (_, index) => ({
              scopeName: `a${index}`,
              operator: "Exists",
            })),
          },
        },
      }),
    },
    422,
  ],
  [
    "more properties without a type than arguments a function takes",
    { method: "POST", path: definition.path, bytes: JSON.stringify(untyped(140_000)) },
    422,
  ],
  [
    "a pattern of a few letters that stands for a program of a great many steps",
    {
      method: "POST",
      path: definition.path,
      object: defined({ type: "string", pattern: "[a-z]{1,900}".repeat(300) }),
    },
    422,
  ],
  [
    "a version that is no text, and cannot be made one",
    {
      method: "PATCH",
      path: `${gadget.path}/sample`,
      type: "application/merge-patch+json",
      bytes: '{"apiVersion":{"toString":true}}',
    },
    422,
  ],
])("%s", { timeout: 60_000 }, async (_what, sent, status) => {
  const response = await target.send(sent);
  expect(response.status).toBe(status);
  expect(response.body).toMatchObject({ kind: "object", value: { kind: status < 300 ? "Pod" : "Status" } });
});
