// Requests that are large in every way anyone thought of are answered: stored where kube-apiserver would store them, refused with a
// reason otherwise. How long they take is not judged here; `npm run fuzz` reports it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultOf } from "../robustness/faults.js";
import { gadget } from "../robustness/samples.js";
import { Target } from "../robustness/target.js";
import { collectionOf, longKind, objectOf } from "./custom-kinds.js";
import { WatchedStorage } from "./housekeeping.js";
import { largeBodies } from "./large-bodies.js";
import { longContents } from "./long-objects.js";
import { Standing } from "./standing.js";

const storage = new WatchedStorage();
let target: Target;

beforeAll(async () => {
  target = new Target({ storage });
  await new Standing(target, storage, [longKind]).make();
});

afterAll(async () => {
  expect(await target.uncaught()).toEqual([]);
  target.close();
});

test.each(Object.keys(largeBodies))("a large request is answered: %s", { timeout: 60_000 }, async (name) => {
  const { path: place = "", ...rest } = largeBodies[name]?.(0.5) ?? {};
  const [path = "", query = ""] = place.split("?");
  const response = await target.send({ method: "POST", ...rest, path, query });
  expect(faultOf(response)).toBeUndefined();
  expect(response.status).toBeGreaterThanOrEqual(200);
});

/** Those that the schema of the kind or the budget of its rules refuses. */
const refused = new Set([
  "items, the last wrong",
  "a set with a duplicate",
  "keyed items with a duplicate",
  "failures in rules",
  "patterns in rules",
]);

test.each(Object.keys(longContents))(
  "a custom object that is long is stored or refused: %s",
  { timeout: 60_000 },
  async (way) => {
    const spec = { size: 1, ...longContents[way]?.(0.7) };
    const bytes = JSON.stringify(objectOf(longKind, "v1", "long", { spec }));
    const { status } = await target.send({
      method: "POST",
      path: collectionOf(longKind, "v1"),
      query: "dryRun=All",
      bytes,
    });
    expect(status).toBe(refused.has(way) ? 422 : 201);
  },
);

test("a CRD with thousands of patterns is stored", { timeout: 60_000 }, async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, index) => [
      `p${index}`,
      { type: "string", pattern: `^[a-z]+x${index}$` },
    ]),
  );
  const object = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "patterns.standing.example.com" },
    spec: {
      group: "standing.example.com",
      scope: "Namespaced",
      names: { plural: "patterns", kind: "Pattern" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
          },
        },
      ],
    },
  };
  const { path } = longKind.definition;
  const { status } = await target.send({ method: "POST", path, query: "dryRun=All", object });
  expect(status).toBe(201);
});

/** What an object takes as JSON is what etcd limits: 1.5 MiB, less what the server adds. */
const storable = 1.5 * 2 ** 20 - 4_096;

/** Contents near the limit, by what they have much of; each is given about how many bytes. */
const atTheLimit: Readonly<Record<string, (bytes: number) => object>> = {
  "one long text": (bytes) => ({ text: "x".repeat(bytes) }),
  // The keys of a map are stored twice: the managed fields list them.
  "a map of short keys": (bytes) =>
    Object.fromEntries(numbers(bytes / 30).map((index) => [`k${index}`, index])),
  "a list of small objects": (bytes) => ({
    list: numbers(bytes / 30).map((index) => ({ name: `n${index}`, v: 1 })),
  }),
  "a list of numbers": (bytes) => ({ list: numbers(bytes / 8) }),
  "objects in objects": (bytes) => ({
    list: numbers(bytes / 60).map(() => ({ a: { b: { c: { d: { e: ["f", { g: "h" }] } } } } })),
  }),
};

const numbers = (count: number): number[] => Array.from({ length: Math.floor(count) }, (_, index) => index);
const gadgetWith = (free: object): string =>
  JSON.stringify({
    apiVersion: "robust.example.com/v1",
    kind: "Gadget",
    metadata: { name: "at-the-limit" },
    spec: { size: 1, free },
  });

describe("an object as large as etcd takes", () => {
  test.each(Object.keys(atTheLimit))(
    "is created, replaced, patched, read and deleted: %s",
    { timeout: 60_000 },
    async (way) => {
      const { path } = gadget;
      const one = `${path}/at-the-limit`;
      const bytes = gadgetWith(atTheLimit[way]?.(storable * 0.95) ?? {});
      expect(bytes.length).toBeLessThan(storable);
      expect(bytes.length).toBeGreaterThan(storable / 3);
      const { metadata } = (await target.must({ method: "POST", path, bytes })) as {
        metadata: { resourceVersion: string };
      };
      const named = `{"name":"at-the-limit","resourceVersion":"${metadata.resourceVersion}"}`;
      const put = bytes.replace('{"name":"at-the-limit"}', named);
      expect((await target.send({ method: "PUT", path: one, bytes: put })).status).toBe(200);
      const patch = { method: "PATCH", path: one, type: "application/merge-patch+json" } as const;
      expect((await target.send({ ...patch, bytes: '{"metadata":{"labels":{"a":"b"}}}' })).status).toBe(200);
      expect((await target.send({ method: "GET", path: one })).status).toBe(200);
      expect((await target.send({ method: "DELETE", path: one })).status).toBe(200);
    },
  );

  test("is refused beyond that limit, in etcd's words", async () => {
    const bytes = gadgetWith({ text: "x".repeat(1.6 * 2 ** 20) });
    const { status, body } = await target.send({ method: "POST", path: gadget.path, bytes });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).toContain("etcdserver: request is too large");
  });
});
