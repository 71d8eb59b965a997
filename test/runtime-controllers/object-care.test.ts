// What the runtime does to the objects themselves: finalizers, status, events, and fields that others insist on.
import { ConfigMap, EventsV1Event } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "./harness.js";

describe("a finalizer", () => {
  const finalizer = "example.com/box";

  /** A controller whose clean-up fails as often as told. */
  function cleaning(log: string[], failures = 0) {
    let left = failures;
    return defineController(Box, {
      reconcile: (box) => void log.push(`reconcile ${box.metadata.finalizers}`),
      finalize() {
        log.push("clean up");
        if (left-- > 0) throw new Error("bucket not empty");
      },
    });
  }

  test("is there before the first reconcile, and goes after the clean-up", async () => {
    await using harness = await Harness.start();
    const log: string[] = [];
    await harness.manage([cleaning(log)]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(log[0]).toBe(`reconcile ${finalizer}`);
    await harness.client.delete(Box, "a", { namespace });
    await harness.settle();
    expect(log.at(-1)).toBe("clean up");
    await expect(harness.box()).rejects.toMatchObject({ code: 404 });
    expect(harness.errors).toEqual([]);
  });

  test("stays until the clean-up succeeds", async () => {
    await using harness = await Harness.start();
    const log: string[] = [];
    await harness.manage([cleaning(log, 10)]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    await harness.client.delete(Box, "a", { namespace });
    await harness.clock.advance(1_000);
    expect((await harness.box()).metadata.finalizers).toEqual([finalizer]);
    await harness.clock.advance(60_000);
    expect(log.filter((line) => line === "clean up")).toHaveLength(11);
    await expect(harness.box()).rejects.toMatchObject({ code: 404 });
  });

  test("stays while the clean-up asks to be called again", async () => {
    await using harness = await Harness.start();
    let calls = 0;
    await harness.manage([
      defineController(Box, {
        reconcile: () => undefined,
        finalize: () => (++calls < 3 ? { requeueAfter: 1_000 } : undefined),
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    await harness.client.delete(Box, "a", { namespace });
    await harness.clock.advance(999);
    expect((await harness.box()).metadata.finalizers).toEqual([finalizer]);
    await harness.clock.advance(1_001);
    expect(calls).toBe(3);
    await expect(harness.box()).rejects.toMatchObject({ code: 404 });
  });

  test.each([
    ["put there before", ["a.io/first"]],
    ["changed in between", ["a.io/first", "b.io/second"]],
  ])("never touches others %s", async (_, others) => {
    await using harness = await Harness.start();
    const { client } = harness;
    const [first = ""] = others;
    await client.create(Box, { ...boxNamed("a"), metadata: { name: "a", namespace, finalizers: [first] } });
    let isDone = false;
    harness.interfere = ({ method, path }) => {
      // Somebody else is faster: the list is no longer the one the patch was made for.
      if (isDone || others.length === 1 || method !== "PATCH" || !path.endsWith("/boxes/a")) return undefined;
      isDone = true;
      void client.patch(Box, "a", { merge: { metadata: { finalizers: others } } }, { namespace });
      return undefined;
    };
    const log: string[] = [];
    await harness.manage([cleaning(log)]);
    await harness.clock.advance(1_000);
    expect((await harness.box()).metadata.finalizers).toEqual([...others, finalizer]);
    await client.delete(Box, "a", { namespace });
    await harness.clock.advance(1_000);
    expect((await harness.box()).metadata.finalizers).toEqual(others);
    expect(harness.errors).toEqual([]);
  });

  test("is not put on objects that are going already", async () => {
    await using harness = await Harness.start();
    await harness.client.create(Box, {
      ...boxNamed("a"),
      metadata: { name: "a", namespace, finalizers: ["a.io/x"] },
    });
    await harness.client.delete(Box, "a", { namespace });
    const log: string[] = [];
    await harness.manage([cleaning(log)]);
    await harness.settle();
    expect(log).toEqual([]);
    expect(harness.writes).toEqual([]);
  });
});

describe("a status", () => {
  test("names what it sets, clears what is undefined, leaves the rest, and is written only on change", async () => {
    await using harness = await Harness.start();
    let status: object = { ready: 1, note: "first", details: { a: "1", b: "2" } };
    await harness.manage([defineController(Box, { reconcile: (_, ctx) => ctx.status(status) })]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect((await harness.box()).status).toEqual({ observedGeneration: 1, ...status });
    const writes = harness.writes.length;
    status = { note: undefined, details: { b: "2", c: "3" } };
    await harness.client.patch(Box, "a", { merge: { metadata: { labels: { x: "y" } } } }, { namespace });
    await harness.settle();
    expect((await harness.box()).status).toEqual({
      observedGeneration: 1,
      ready: 1,
      details: { b: "2", c: "3" },
    });
    expect(harness.writes.slice(writes).map(({ body }) => body)).toMatchObject([
      [
        { op: "test", path: "/metadata/uid" },
        { op: "remove", path: "/status/note" },
        { op: "add", path: "/status/details", value: { b: "2", c: "3" } },
      ],
    ]);
  });

  test("keeps transition times, conditions of others, and says which generation it is about", async () => {
    await using harness = await Harness.start();
    let isReady: "True" | "False" = "False";
    await harness.manage([
      defineController(Box, {
        reconcile: (_, ctx) =>
          ctx.status({ conditions: [{ type: "Ready", status: isReady, reason: "Because" }] }),
      }),
    ]);
    const { client, clock } = harness;
    await client.create(Box, boxNamed("a"));
    await harness.settle();
    const born = (await harness.box()).status?.conditions?.[0]?.lastTransitionTime;
    const theirs = {
      type: "Theirs",
      status: "True",
      reason: "R",
      message: "",
      lastTransitionTime: "2020-01-01T00:00:00Z",
    };
    const conditions = [...((await harness.box()).status?.conditions ?? []), theirs];
    await client.patch(Box, "a", { merge: { status: { conditions } } }, { namespace, subresource: "status" });
    await clock.advance(10_000);
    await client.patch(Box, "a", { merge: { spec: { text: "new" } } }, { namespace });
    await harness.settle();
    expect((await harness.box()).status?.conditions).toMatchObject([
      { type: "Ready", status: "False", observedGeneration: 2, lastTransitionTime: born },
      theirs,
    ]);
    isReady = "True";
    await client.patch(Box, "a", { merge: { spec: { text: "newer" } } }, { namespace });
    await harness.settle();
    const [ready] = (await harness.box()).status?.conditions ?? [];
    expect(ready).toMatchObject({ status: "True", observedGeneration: 3 });
    expect(ready?.lastTransitionTime).not.toBe(born);
  });

  test("is not written for an object that is gone, nor to its successor", async () => {
    await using harness = await Harness.start();
    const { client } = harness;
    let isFirst = true;
    await harness.manage([
      defineController(Box, {
        async reconcile(box, ctx) {
          ctx.status({ note: box.spec.text });
          if (!isFirst) return;
          isFirst = false;
          await client.delete(Box, "a", { namespace });
          await client.create(Box, boxNamed("a", { text: "second" }));
        },
      }),
    ]);
    await client.create(Box, boxNamed("a", { text: "first" }));
    await harness.clock.advance(1_000);
    expect((await harness.box()).status?.note).toBe("second");
    expect(harness.errors).toEqual([]);
  });
});

describe("events", () => {
  const eventsOf = async (harness: Harness) =>
    (await harness.client.list(EventsV1Event, { namespace })).items.map(
      ({ type, reason, note, series, regarding, reportingController }) => ({
        type,
        reason,
        note,
        count: series?.count,
        about: `${regarding?.kind} ${regarding?.name}`,
        by: reportingController,
      }),
    );

  test("are about the object, and become a series when they repeat", async () => {
    await using harness = await Harness.start();
    await harness.manage([
      defineController(Box, {
        reconcile(_, ctx) {
          ctx.event({ reason: "Looked", note: "had a look" });
          return { requeueAfter: 1_000 };
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    const event = { type: "Normal", reason: "Looked", note: "had a look", about: "Box a", by: "test" };
    expect(await eventsOf(harness)).toEqual([{ ...event, count: undefined }]);
    await harness.clock.advance(1_000);
    expect(await eventsOf(harness)).toEqual([{ ...event, count: 2 }]);
    await harness.clock.advance(120_000);
    const [{ count } = { count: 0 }] = await eventsOf(harness);
    expect(count).toBeGreaterThan(60);
    expect(harness.writes.length).toBeLessThan(6);
  });

  test("that cannot be written are reported and hold up nothing", async () => {
    await using harness = await Harness.start();
    let reconciled = 0;
    harness.interfere = ({ path }) => (path.includes("events.k8s.io") ? "fail" : undefined);
    await harness.manage([
      defineController(Box, {
        reconcile(_, ctx) {
          reconciled += 1;
          ctx.event({ type: "Warning", reason: "Odd", note: "x".repeat(5000) });
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(reconciled).toBe(1);
    expect(harness.errors.map(({ where }) => where)).toEqual(["event"]);
  });
});

test("field conflict: a field that another manager keeps changing back is reported, and applied with a growing backoff", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  await harness.manage([
    defineController(Box, {
      owns: [ConfigMap],
      async reconcile(box, ctx) {
        for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
      },
    }),
  ]);
  await client.create(Box, boxNamed("a"));
  await harness.settle();
  const meddle = (text: string) =>
    client.patch(ConfigMap, "a-0", { merge: { data: { text } } }, { namespace, fieldManager: "meddler" });
  for (let second = 0; second < 600; second++) {
    if ((await harness.texts())["a-0"] !== "theirs") await meddle("theirs");
    await clock.advance(1_000);
  }
  const applies = harness.writes.filter(({ path }) => path.endsWith("/configmaps/a-0"));
  expect(applies.length).toBeLessThan(20);
  const [condition] = (await harness.box()).status?.conditions ?? [];
  expect(condition).toMatchObject({
    type: "FieldConflict",
    status: "True",
    message: "ConfigMap default/a-0: .data.text is also set by meddler",
  });
  const events = (await client.list(EventsV1Event, { namespace })).items;
  expect(events.filter(({ reason }) => reason === "FieldConflict")).toHaveLength(1);
  // The other side gives in.
  await clock.advance(3_600_000);
  expect(await harness.texts()).toEqual({ "a-0": "hello" });
  expect((await harness.box()).status?.conditions).toMatchObject([
    { type: "FieldConflict", status: "False" },
  ]);
});

test("field conflict: an apply that the server refuses is no change by others, however often it is repeated", async () => {
  await using harness = await Harness.start();
  const boxes = defineController(Box, {
    owns: [ConfigMap],
    async reconcile(box, ctx) {
      for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
      ctx.status({ note: "applied" });
    },
  });
  await harness.manage([boxes]);
  await harness.client.create(Box, boxNamed("a"));
  await harness.settle();
  const refusal = { kind: "Status", status: "Failure", code: 422, reason: "Invalid", message: "refused" };
  harness.interfere = ({ method, path }) =>
    method === "PATCH" && path.includes("/configmaps/")
      ? {
          status: 422,
          headers: { "content-type": "application/json" },
          body: { kind: "object", value: refusal },
        }
      : undefined;
  await harness.client.patch(
    Box,
    "a",
    { merge: { spec: { text: "bye" }, status: { note: null } } as never },
    { namespace },
  );
  await harness.clock.advance(60_000);
  expect(harness.errors.length).toBeGreaterThan(6);
  expect((await harness.box()).status?.conditions ?? []).not.toContainEqual(
    expect.objectContaining({ type: "FieldConflict", status: "True" }),
  );
});
