// However many keys are due in the same second: all begin, and only so many are at the server, also with what is written last.
import { EventsV1Event } from "@kubewright/api";
import type { Middleware } from "@kubewright/client";
import { defineController, defineManager, startManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";
import { startServer } from "./world.js";

const namespace = "default";
const count = 100;
const turns = 4;
const Note = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({}),
  status: z.object({ seen: z.int32().optional() }),
});

/** Counts requests under way, by what they are for; each takes a moment. */
function counting(atOnce: Map<string, number>): Middleware {
  const now = new Map<string, number>();
  return (next) => async (request) => {
    const what = /events|status/.exec(request.path)?.[0];
    if (what === undefined || request.method === "GET") return next(request);
    now.set(what, (now.get(what) ?? 0) + 1);
    atOnce.set(what, Math.max(atOnce.get(what) ?? 0, now.get(what) ?? 0));
    for (let step = 0; step < 10; step++) await Promise.resolve();
    try {
      return await next(request);
    } finally {
      now.set(what, (now.get(what) ?? 0) - 1);
    }
  };
}

test("all begin at once, and take turns, also those that are never passed on", async () => {
  await using server = await startServer({ start: 0, kinds: [Note] });
  const { clock, client, cluster, run } = server;
  const names = Array.from({ length: count }, (_, index) => `n-${index}`);
  for (const name of names) await run(client.create(Note, { metadata: { name, namespace }, spec: {} }));
  let begun = 0;
  let begunAtFirstEnd = 0;
  let atWork = 0;
  let most = 0;
  let stuck: string | undefined;
  const controller = defineController(Note, {
    concurrency: count,
    turns,
    timeout: 60_000,
    async reconcile(note, ctx) {
      const { name = "", labels } = note.metadata;
      begun += 1;
      await ctx.turn();
      await ctx.turn(); // One has one turn, however often one asks.
      if (!stuck) {
        stuck = name;
        await ctx.sleep(3_600_000);
      }
      most = Math.max(most, ++atWork);
      if (!labels) await ctx.sleep(10);
      atWork -= 1;
      begunAtFirstEnd ||= begun;
      if (labels)
        for (let each = 0; each < 20; each++) ctx.event({ reason: "Seen", note: `${name}: ${each}` });
      ctx.status({ seen: Number(labels?.["round"] ?? 0) });
    },
  });
  const atOnce = new Map<string, number>();
  const errors: unknown[] = [];
  const manager = await run(
    startManager(defineManager({ name: "test", controllers: [controller] }), {
      client: cluster.connect({ userAgent: "test", fieldManager: "test", middleware: [counting(atOnce)] }),
      clock,
      onError: (_where, error) => errors.push(error),
    }),
  );
  const seen = async (round: number) => {
    const { items } = await client.list(Note, { namespace });
    return items.filter(({ status }) => status?.seen === round).length;
  };
  await clock.advance(30_000);
  expect([begunAtFirstEnd, most, await seen(0)]).toEqual([count, turns - 1, count - 1]);
  // The one that sleeps is ended, and its turn is there for others.
  await clock.advance(60_000);
  expect(errors).toMatchObject([{ message: expect.stringContaining(`${stuck}: reconcile took longer`) }]);
  const again = { merge: { metadata: { labels: { round: "1" } } } };
  await run(Promise.all(names.map((name) => client.patch(Note, name, again, { namespace }))));
  await clock.advance(10_000);
  expect(await seen(1)).toBe(count);
  expect(atOnce.get("status")).toBe(turns);
  // Nobody waits for events: they have turns of their own, and all of them come.
  expect(atOnce.get("events")).toBe(8);
  expect((await client.list(EventsV1Event, { namespace })).items).toHaveLength(20 * count);
  await run(manager.close());
});
