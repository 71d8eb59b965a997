// What `kubectl describe` shows of an object whose children the runtime keeps.
import { ConfigMap, CustomResourceDefinition, EventsV1Event } from "@kubewright/api";
import { defineController, interval } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "./harness.js";

const boxes = defineController(Box, {
  owns: [ConfigMap],
  sources: [interval(60_000)],
  async reconcile(box, ctx) {
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    await ctx.prune();
  },
});

/** Events in the order they happened, with their counts. */
async function history({ client }: Harness): Promise<readonly string[]> {
  const { items } = await client.list(EventsV1Event, { namespace });
  return [...items]
    .sort((one, other) => String(one.eventTime).localeCompare(String(other.eventTime)))
    .map(({ reason, note, series }) => `${reason}: ${note}${series ? ` (${series.count})` : ""}`);
}

test("child events: an object's events report that children were created, updated, healed and deleted", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  const act = async (work: Promise<unknown>): Promise<void> => {
    await work;
    await clock.advance(1_000);
  };
  await harness.manage([boxes]);
  await act(client.create(Box, boxNamed("a")));
  await act(client.patch(Box, "a", { merge: { spec: { text: "bye", copies: 2 } } }, { namespace }));
  await act(client.patch(ConfigMap, "a-0", { merge: { data: { text: "theirs" } } }, { namespace }));
  await act(client.delete(ConfigMap, "a-1", { namespace }));
  await act(client.patch(Box, "a", { merge: { spec: { copies: 1 } } }, { namespace }));
  await act(client.patch(Box, "a", { merge: { spec: { copies: 2 } } }, { namespace }));
  expect(await history(harness)).toEqual([
    "Created: ConfigMap a-0 created",
    "Updated: ConfigMap a-0 updated",
    "Created: ConfigMap a-1 created (2)",
    "Healed: ConfigMap a-0 corrected: .data.text was changed",
    "Healed: ConfigMap a-1 created again: it was deleted",
    "Deleted: ConfigMap a-1 deleted: it is no longer declared",
  ]);
});

test("child events: an operator whose work is done records none, also after a restart", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  const first = await harness.manage([boxes]);
  await client.create(Box, boxNamed("a", { copies: 3 }));
  await clock.advance(1_000);
  const before = await history(harness);
  expect(before).toHaveLength(3);
  await clock.advance(30 * 60_000);
  await clock.runUntilSettled(first.close());
  await harness.manage([boxes]);
  await clock.advance(10 * 60_000);
  expect(await history(harness)).toEqual(before);
});

test("child events: what is deleted again and again becomes a series", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  await harness.manage([boxes]);
  await client.create(Box, boxNamed("a"));
  for (let round = 0; round < 40; round++) {
    await clock.advance(10_000);
    await client.delete(ConfigMap, "a-0", { namespace });
  }
  await clock.advance(120_000);
  expect(await history(harness)).toEqual([
    "Created: ConfigMap a-0 created",
    "Healed: ConfigMap a-0 created again: it was deleted (40)",
  ]);
});

test("events: an object that records a new text each time has 25 events of that reason, and one every five minutes; other reasons still get through", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  let round = 0;
  await harness.manage([
    defineController(Box, {
      reconcile(_box, ctx) {
        round += 1;
        ctx.event({ reason: "Ran", note: `the run due at ${round} was skipped` });
        if (round === 300) ctx.event({ reason: "Renamed", note: "it has another name" });
        if (round === 400) ctx.event({ type: "Warning", reason: "Missed", note: "a run was missed" });
        return { requeueAfter: 1_000 };
      },
    }),
  ]);
  await client.create(Box, boxNamed("a"));
  await clock.advance(1_000_000);
  const events = await history(harness);
  expect(events.filter((event) => event.startsWith("Ran"))).toHaveLength(28);
  expect(events).toContain("Missed: a run was missed");
  expect(events).toContain("Renamed: it has another name");
});

test("events: an object with the longest name there can be gets its events", async () => {
  await using harness = await Harness.start();
  const name = `${"a".repeat(60)}.${"b".repeat(192)}`;
  await harness.manage([
    defineController(Box, { reconcile: (_box, ctx) => ctx.event({ reason: "Seen", note: "seen" }) }),
  ]);
  await harness.client.create(Box, boxNamed(name));
  await harness.clock.advance(1_000);
  expect(await history(harness)).toEqual(["Seen: seen"]);
  expect(harness.errors).toEqual([]);
});

test("watch: a CRD that is deleted is reported once per attempt with its name and the remedy", async () => {
  await using harness = await Harness.start();
  await harness.manage([boxes]);
  await harness.client.delete(CustomResourceDefinition, "boxes.example.com");
  await harness.clock.advance(60_000);
  const warnings = harness.logs.filter(({ level }) => level === "warn");
  expect(new Set(warnings.map(({ message }) => message))).toEqual(
    new Set(["waiting for boxes.example.com: the cluster does not serve version v1 of it"]),
  );
  expect(warnings[0]?.fields["remedy"]).toMatch(/^install its CustomResourceDefinition/);
  for (const { where, error } of harness.errors)
    expect(`${where}: ${error}`).not.toMatch(/(watch Box: ).*\1/);
});
