// What a person learns about one object: why it was last reconciled, what that wrote, what comes next.
import { ConfigMap, Secret } from "@kubewright/api";
import { defineController, readOnly } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness } from "../runtime-controllers/harness.js";

const controller = defineController(Box, {
  owns: [ConfigMap],
  backoff: { base: 60_000, max: 60_000 },
  async reconcile(box, ctx) {
    if (box.spec.text === "bad") throw new Error("this is bad");
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    await ctx.prune();
    ctx.status({ ready: box.spec.copies });
    ctx.event({ reason: "Copied", note: "made copies" });
    return { requeueAfter: 600_000 };
  },
  finalize: () => undefined,
});

test("the timeline tells what was written, and what comes next", async () => {
  await using harness = await Harness.start();
  await harness.client.create(Box, boxNamed("a", { copies: 1 }));
  const manager = await harness.manage([controller], { metrics: { port: 0 } });
  await harness.settle();
  const [story] = manager.timeline.explain({ kind: "box", key: "default/a" });
  expect(story?.history.at(-1)).toMatchObject({
    controller: "box",
    outcome: "success",
    requeueAfter: 600_000,
    began: expect.stringMatching(/^2026-01-01T/),
    writes: [
      { verb: "patch", kind: "Box", key: "default/a", resourceVersion: expect.stringMatching(/^\d+$/) },
      {
        verb: "apply",
        kind: "ConfigMap",
        key: "default/a-0",
        resourceVersion: expect.stringMatching(/^\d+$/),
      },
      { verb: "status", kind: "Box", key: "default/a", error: undefined },
    ],
    events: [{ reason: "Created", note: "ConfigMap a-0 created" }, { reason: "Copied" }],
  });
  expect(story?.history.at(-1)?.reasons).toContain("Box default/a added");
  expect(story?.next).toMatchObject({ state: "delayed", failures: 0 });
  expect(manager.timeline.explain({ kind: "Pod", key: "default/a" })).toEqual([]);

  await harness.client.patch(Box, "a", { merge: { spec: { copies: 0 } } }, { namespace: "default" });
  await harness.settle();
  const pruned = manager.timeline.records({ key: "default/a" }).flatMap(({ writes }) => writes);
  expect(pruned).toContainEqual(
    expect.objectContaining({ verb: "delete", kind: "ConfigMap", key: "default/a-0", error: undefined }),
  );

  await harness.client.patch(Box, "a", { merge: { spec: { text: "bad" } } }, { namespace: "default" });
  await harness.settle();
  const url = manager.addresses.metrics ?? "";
  const read = async (path: string) => (await fetch(`${url}${path}`)).json();
  expect(await read("/debug/explain?kind=boxes&key=default/a&limit=1")).toMatchObject({
    objects: [
      {
        controller: "box",
        kind: "Box",
        history: [{ outcome: "failure", error: "this is bad" }],
        next: { state: "delayed", failures: 1 },
      },
    ],
  });
  expect(await read("/debug/timeline?limit=1")).toMatchObject({ records: [{ key: "default/a" }] });
  expect(await read("/debug/queues")).toMatchObject({
    queues: [{ controller: "box", fresh: 0, delayed: 1, keys: [{ key: "default/a", failures: 1 }] }],
  });
  expect((await fetch(`${url}/debug/explain`)).status).toBe(400);
});

test("a write that failed is told with its reason", async () => {
  await using harness = await Harness.start();
  await harness.client.create(Box, boxNamed("a", { copies: 1 }));
  harness.interfere = ({ verb, path }) =>
    verb === "write" && path.includes("/configmaps/") ? "fail" : undefined;
  const manager = await harness.manage([controller]);
  await harness.settle();
  const [last] = manager.timeline.records({ key: "default/a" });
  const failed = last?.writes.find(({ verb }) => verb === "apply");
  expect(failed).toMatchObject({ verb: "apply", key: "default/a-0", resourceVersion: undefined });
  expect(failed?.error).toContain("made up");
});

test("reads from the server are always in the timeline, those from caches while somebody watches them", async () => {
  await using harness = await Harness.start();
  const reading = defineController(Box, {
    owns: [ConfigMap],
    uses: [readOnly(Secret)],
    async reconcile(box, ctx) {
      for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
      await ctx.get(Secret, "none", { live: true });
      await ctx.get(ConfigMap, `${box.metadata.name}-0`);
      await ctx.get(ConfigMap, `${box.metadata.name}-0`);
      ctx.children(ConfigMap);
      await ctx.list(ConfigMap, { namespace: "default", labelSelector: "box=a" });
    },
  });
  const manager = await harness.manage([reading]);
  await harness.client.create(Box, boxNamed("a", { copies: 2 }));
  await harness.settle();
  const last = () => manager.timeline.records({ key: "default/a", limit: 1 })[0]?.reads;
  const secret = { verb: "get", kind: "Secret", target: "default/none", source: "server", times: 1 };
  expect(last()).toMatchObject([{ ...secret, count: 0, error: undefined }]);

  const stop = manager.timeline.watchReads();
  const text = (next: string) =>
    harness.client.patch(Box, "a", { merge: { spec: { text: next } } }, { namespace: "default" });
  await text("watched");
  await harness.settle();
  const copies = ["default/a-0", "default/a-1"];
  expect(last()).toMatchObject([
    secret,
    { verb: "get", kind: "ConfigMap", target: "default/a-0", source: "cache", times: 2, count: 1 },
    { verb: "list", target: "children", source: "cache", count: 2, found: expect.arrayContaining(copies) },
    { verb: "list", target: "default box=a", source: "cache", count: 2 },
  ]);
  stop();
  await text("unwatched");
  await harness.settle();
  expect(last()).toMatchObject([secret]);
});

test("nothing is kept when nobody wants it", async () => {
  await using harness = await Harness.start();
  await harness.client.create(Box, boxNamed("a"));
  const manager = await harness.manage([controller], { timeline: false });
  await harness.settle();
  expect(manager.timeline.records()).toEqual([]);
  expect(manager.timeline.queues()).toMatchObject([{ delayed: 1 }]);
});
