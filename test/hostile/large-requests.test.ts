// Requests that are large in every way anyone thought of are answered: stored where kube-apiserver would store them, refused with a
// reason otherwise. How long they take is not judged here; `npm run fuzz` reports it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultOf } from "../robustness/faults.js";
import { definition, gadget, samples } from "../robustness/samples.js";
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
  await target.must({ method: "POST", path: definition.path, object: definition.object });
  await expect.poll(async () => (await target.send({ method: "GET", path: gadget.path })).status).toBe(200);
  for (const { path, object } of samples) await target.send({ method: "POST", path, object });
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

/** Objects near the limit, by what they have much of; each is given about how many bytes. */
const atTheLimit: Readonly<Record<string, (bytes: number) => { path: string; object: object }>> = {
  "one long text": (bytes) => custom({ free: "x".repeat(bytes) }),
  "a map of short keys": (bytes) =>
    custom({ free: Object.fromEntries(numbers(bytes / 13).map((index) => [`k${index}`, index])) }),
  "a list of small objects": (bytes) =>
    custom({ free: numbers(bytes / 30).map((index) => ({ name: `n${index}`, v: 1 })) }),
  "a list of numbers": (bytes) => custom({ free: numbers(bytes / 8) }),
  "objects in objects": (bytes) =>
    custom({ free: numbers(bytes / 180).map(() => ({ a: { b: { c: { d: { e: ["f", { g: "h" }] } } } } })) }),
};

const numbers = (count: number): number[] => Array.from({ length: Math.floor(count) }, (_, index) => index);
const custom = (spec: object) => ({
  path: gadget.path,
  object: {
    apiVersion: "robust.example.com/v1",
    kind: "Gadget",
    metadata: { name: "at-the-limit" },
    spec: { size: 1, ...spec },
  },
});

describe("an object as large as etcd takes", () => {
  test.each(Object.keys(atTheLimit))(
    "is created, replaced, patched, read and deleted: %s",
    { timeout: 60_000 },
    async (way) => {
      const { path, object } = atTheLimit[way]?.(storable * 0.9) ?? custom({});
      const one = `${path}/at-the-limit`;
      const bytes = JSON.stringify(object);
      expect(bytes.length).toBeLessThan(storable);
      expect((await target.send({ method: "POST", path, bytes })).status).toBe(201);
      expect((await target.send({ method: "PUT", path: one, bytes })).status).toBe(200);
      const patch = { method: "PATCH", path: one, type: "application/merge-patch+json" } as const;
      expect((await target.send({ ...patch, bytes: '{"metadata":{"labels":{"a":"b"}}}' })).status).toBe(200);
      expect((await target.send({ method: "GET", path: one })).status).toBe(200);
      expect((await target.send({ method: "DELETE", path: one })).status).toBe(200);
    },
  );

  test("is refused beyond that limit, with a reason", async () => {
    const { path, object } = custom({ free: "x".repeat(1.6 * 2 ** 20) });
    const response = await target.send({ method: "POST", path, bytes: JSON.stringify(object) });
    expect(response.status).toBe(413);
  });
});
