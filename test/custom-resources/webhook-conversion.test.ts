// Versions of different shapes, converted by a webhook that runs in this process.
import { VirtualClock } from "@kubewright/api";
import type { ApiServerOptions, WebhookCall } from "@kubewright/apiserver";
import { describe, expect, it } from "vitest";
import { definition, definitionServer, version, widget, widgetsPath } from "./definition-server.js";

const v1 = "example.com/v1";
const v2 = "example.com/v2";

type Json = Record<string, unknown> & { apiVersion: string; metadata: Record<string, unknown>; spec: Json };
interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Json[] };
}

/** v1 says `size`, v2 says `dimensions.height`. */
function converted(object: Json, apiVersion: string): Json {
  const { size, dimensions, ...rest } = object.spec as Json & {
    size?: number;
    dimensions?: { height: number };
  };
  const height = size ?? dimensions?.height;
  const spec = apiVersion === v1 ? { ...rest, size: height } : { ...rest, dimensions: { height } };
  return { ...object, apiVersion, spec: spec as unknown as Json };
}

function webhookServer(answer: (review: Review) => unknown = succeed, options: ApiServerOptions = {}) {
  const calls: Review["request"][] = [];
  const tools = definitionServer({
    ...options,
    callWebhook: async ({ body, endpoint }: WebhookCall) => {
      expect(endpoint.url).toBe("https://convert.example.com/");
      const review = structuredClone(body) as Review;
      calls.push(review.request);
      return answer(review);
    },
  });
  return { ...tools, calls };
}

const succeed = ({ request: { uid, desiredAPIVersion, objects } }: Review) => ({
  kind: "ConversionReview",
  apiVersion: "apiextensions.k8s.io/v1",
  response: {
    uid,
    result: { status: "Success" },
    convertedObjects: objects.map((object) => converted(object, desiredAPIVersion)),
  },
});

const selectable = { selectableFields: [{ jsonPath: ".spec.size" }] };
const schema = (properties: object) => ({
  schema: {
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
  },
});
const integer = { type: "integer" };
const shapes = definition({
  versions: [
    version("v1", {
      ...schema({ size: integer, color: { type: "string", default: "red" } }),
      ...selectable,
      storage: false,
    }),
    version(
      "v2",
      schema({ dimensions: { type: "object", properties: { height: integer } }, color: { type: "string" } }),
    ),
  ],
  conversion: {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://convert.example.com/" } },
  },
});

describe("conversion by a webhook", () => {
  it("happens on the way to the store and back", async () => {
    const { call, define, calls } = webhookServer();
    await define(shapes);
    const created = await call("POST", widgetsPath(v1), widget("w", { size: 3 }, v1));
    expect(created.body).toMatchObject({ apiVersion: v1, spec: { size: 3, color: "red" } });
    const stored = await call("GET", `${widgetsPath(v2)}/w`);
    expect(stored.body).toMatchObject({ apiVersion: v2, spec: { dimensions: { height: 3 }, color: "red" } });
    expect(calls.map(({ desiredAPIVersion }) => desiredAPIVersion)).toEqual([v2, v1]);
  });

  it("is asked for once per object and version, however many look", async () => {
    const { call, define, calls, watch } = webhookServer();
    await define(shapes);
    for (const name of ["a", "b", "c"])
      await call("POST", widgetsPath(v2), widget(name, { dimensions: { height: 1 } }, v2));
    expect(calls).toHaveLength(0);
    const lists = await Promise.all([1, 2, 3].map(() => call("GET", widgetsPath(v1))));
    expect(lists[2]?.body.items.map((item: Json) => item.spec["size"])).toEqual([1, 1, 1]);
    expect(calls.map(({ objects }) => objects.length)).toEqual([3]);
    const watches = await Promise.all([1, 2].map(() => watch(widgetsPath(v1))));
    await call("POST", widgetsPath(v2), widget("d", { dimensions: { height: 4 } }, v2));
    for (const { next } of watches) {
      const names = [await next(), await next(), await next(), await next()].map(
        (event) => event?.object.metadata.name,
      );
      expect(names).toEqual(["a", "b", "c", "d"]);
    }
    expect(calls).toHaveLength(2);
  });

  it("comes before selection", async () => {
    const { call, patch, define, watch } = webhookServer();
    await define(shapes);
    for (const [name, height] of [
      ["a", 1],
      ["b", 2],
      ["c", 1],
      ["d", 1],
    ] as const)
      await call("POST", widgetsPath(v2), widget(name, { dimensions: { height } }, v2));
    const page = await call("GET", widgetsPath(v1), undefined, {
      query: { fieldSelector: "spec.size=1", limit: "2" },
    });
    expect(page.body.items.map((item: Json) => item.metadata["name"])).toEqual(["a", "c"]);
    const rest = await call("GET", widgetsPath(v1), undefined, {
      query: { fieldSelector: "spec.size=1", limit: "2", continue: page.body.metadata.continue },
    });
    expect(rest.body.items.map((item: Json) => item.metadata["name"])).toEqual(["d"]);
    const { next } = await watch(widgetsPath(v1), { fieldSelector: "spec.size=2" });
    expect(await next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });
    await patch(`${widgetsPath(v2)}/a`, { spec: { dimensions: { height: 2 } } });
    await patch(`${widgetsPath(v2)}/b`, { spec: { dimensions: { height: 5 } } });
    expect(await next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    expect(await next()).toMatchObject({
      type: "DELETED",
      object: { metadata: { name: "b" }, spec: { size: 2 } },
    });
  });

  it("finds the fields of owners that wrote in another version", async () => {
    const { patch, define } = webhookServer();
    await define(shapes);
    const apply = (apiVersion: string, manager: string, spec: object) =>
      patch(`${widgetsPath(apiVersion)}/w`, widget("w", spec, apiVersion), {
        type: "apply-patch+yaml",
        query: { fieldManager: manager },
      });
    await apply(v1, "one", { size: 3 });
    const conflict = await apply(v2, "two", { dimensions: { height: 4 } });
    expect(conflict.status).toBe(409);
    expect(conflict.body.details.causes).toMatchObject([
      { message: 'conflict with "one"', field: ".spec.size" },
    ]);
    expect((await apply(v2, "two", { dimensions: { height: 3 } })).status).toBe(200);
  });

  it("may change labels and annotations, and nothing else of metadata", async () => {
    const { call, define } = webhookServer((review) => {
      const answer = succeed(review);
      for (const object of answer.response.convertedObjects) {
        object.metadata["labels"] = { converted: "yes" };
        object.metadata["generation"] = 77;
        object.metadata["finalizers"] = ["x.example.com/y"];
        delete object.metadata["annotations"];
      }
      return answer;
    });
    await define(shapes);
    await call("POST", widgetsPath(v2), widget("w", {}, v2, { annotations: { a: "b" }, labels: { c: "d" } }));
    const { body } = await call("GET", `${widgetsPath(v1)}/w`);
    expect(body.metadata).toMatchObject({ generation: 1, labels: { converted: "yes" } });
    expect(body.metadata.finalizers).toBeUndefined();
    expect(body.metadata.annotations).toBeUndefined();
  });

  it.each<[string, (review: Review) => unknown, string]>([
    [
      "cannot be reached",
      () => {
        throw new Error('Post "https://convert.example.com/": dial tcp: no such host');
      },
      'failed: Post "https://convert.example.com/": dial tcp: no such host',
    ],
    ["says no", (review) => refuse(review, { status: "Failure", message: "not today" }), "failed: not today"],
    [
      "says no without a word",
      (review) => refuse(review, { status: "Failure" }),
      "failed: response.result.status was 'Failure', not 'Success'",
    ],
    [
      "answers nothing",
      () => ({ kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1" }),
      "failed: no response provided",
    ],
    [
      "answers something else",
      () => ({ kind: "Pod", apiVersion: "v1" }),
      "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Pod",
    ],
    [
      "answers someone else",
      (review) => changed(review, (response) => ({ ...response, uid: "other" })),
      'failed: expected response.uid="',
    ],
    [
      "loses objects",
      (review) => changed(review, (response) => ({ ...response, convertedObjects: [] })),
      "returned 0 objects, expected 1",
    ],
    [
      "converts to another version",
      (review) => changedObject(review, (object) => ({ ...object, apiVersion: "example.com/v3" })),
      "returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v3)",
    ],
    [
      "changes the kind",
      (review) => changedObject(review, (object) => ({ ...object, kind: "Gadget" })),
      "returned invalid object at index 0: invalid kind (expected Widget, received Gadget)",
    ],
    [
      "renames",
      (review) =>
        changedObject(review, (object) => ({ ...object, metadata: { ...object.metadata, name: "x" } })),
      "returned invalid object: must have the same name: w != x",
    ],
    [
      "makes bad labels",
      (review) =>
        changedObject(review, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { "a b": "" } },
        })),
      'returned invalid metadata: metadata.labels: Invalid value: "a b"',
    ],
    [
      "makes labels that are no text",
      (review) =>
        changedObject(review, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { a: 1 } },
        })),
      "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
    ],
    [
      "answers with a bottomless object",
      (review) => changedObject(review, (object) => ({ ...object, spec: deep(100_000) })),
      "failed: exceeded max depth",
    ],
  ])("fails when the webhook %s", async (_name, answer, text) => {
    const { call, define } = webhookServer(answer);
    await define(shapes);
    expect((await call("POST", widgetsPath(v2), widget("w", {}, v2))).status).toBe(201);
    for (const path of [`${widgetsPath(v1)}/w`, widgetsPath(v1)]) {
      const { status, body } = await call("GET", path);
      expect(status).toBe(500);
      expect(body.message).toContain("conversion webhook for example.com/v2, Kind=Widget ");
      expect(body.message).toContain(text);
    }
    expect((await call("GET", `${widgetsPath(v2)}/w`)).status).toBe(200);
    expect((await call("POST", widgetsPath(v1), widget("y", {}, v1))).status).toBe(500);
  });
});

describe("a conversion that takes too long", () => {
  const never = () => new Promise(() => undefined);

  it.each([
    ["a read", (at: string) => `${at}/w`],
    ["a list", (at: string) => at],
  ])("fails %s after its thirty seconds, and leaves nothing on the clock", async (_what, path) => {
    const clock = new VirtualClock();
    const { call, define, server } = webhookServer(never, { clock });
    await define(shapes);
    await call("POST", widgetsPath(v2), widget("w", {}, v2));
    const before = clock.monotonic();
    const { status, body } = await clock.runUntilSettled(call("GET", path(widgetsPath(v1))));
    expect([status, clock.monotonic() - before]).toEqual([500, 30_000]);
    expect(body.message).toContain('"https://convert.example.com/?timeout=30s": context deadline exceeded');
    expect(clock.inFlight).toEqual([]);
    server.close();
  });

  it("fails a write, and what was to be written is not there", async () => {
    const clock = new VirtualClock();
    const { call, define } = webhookServer(never, { clock });
    await define(shapes);
    const { status } = await clock.runUntilSettled(call("POST", widgetsPath(v1), widget("w", {}, v1)));
    expect([status, clock.monotonic()]).toEqual([500, 30_000]);
    expect((await call("GET", `${widgetsPath(v2)}/w`)).status).toBe(404);
    expect(clock.inFlight).toEqual([]);
  });

  it("ends a watch, which leaves nothing on the clock", async () => {
    const clock = new VirtualClock();
    const { call, define, watch } = webhookServer(never, { clock });
    await define(shapes);
    await call("POST", widgetsPath(v2), widget("w", {}, v2));
    const { next } = await watch(widgetsPath(v1));
    expect(await clock.runUntilSettled(next())).toBeUndefined();
    expect(clock.monotonic()).toBe(30_000);
    expect(clock.inFlight).toEqual([]);
  });
});

const refuse = ({ request }: Review, result: object) => ({
  kind: "ConversionReview",
  apiVersion: "apiextensions.k8s.io/v1",
  response: { uid: request.uid, result },
});

function changed(review: Review, change: (response: ReturnType<typeof succeed>["response"]) => unknown) {
  const answer = succeed(review);
  return { ...answer, response: change(answer.response) };
}

const changedObject = (review: Review, change: (object: Json) => unknown) =>
  changed(review, (response) => ({ ...response, convertedObjects: response.convertedObjects.map(change) }));

function deep(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
