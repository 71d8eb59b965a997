// A machine that slept: the monotonic clock stood still, the wall clock went on, and news come in before any timer fires.
import { type Clock, ConfigMap, Lease } from "@kubewright/api";
import { defineController, type ManagerOptions } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "./harness.js";

const shared: readonly (readonly [string, Partial<ManagerOptions>])[] = [
  ["a leader", { leaderElection: true }],
  ["a member of a sharded manager", { sharding: true }],
];

test.each(shared)("%s that slept begins no reconcile before it has a lease again", async (_, manager) => {
  await using harness = await Harness.start();
  const { clock: base } = harness;
  let slept = 0;
  const clock: Clock = {
    now: () => base.now() + slept,
    monotonic: () => base.monotonic(),
    setTimer: (delay, callback) => base.setTimer(delay, callback),
    busy: (what) => base.busy(what),
  };
  const begun: string[] = [];
  const boxes = defineController(Box, {
    owns: [ConfigMap],
    reconcile: async (box, ctx) => {
      begun.push(box.metadata.name ?? "");
      for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    },
  });
  await harness.manage([boxes], { clock, namespace, identity: "one", manager });
  await base.advance(10_000);
  await harness.client.create(Box, boxNamed("before"));
  await base.advance(1_000);
  expect(begun).toContain("before");
  // It can neither renew nor take a lease until this ends.
  harness.interfere = ({ path }) => (path.includes("/leases") ? "drop" : undefined);
  begun.length = 0;
  harness.requests.length = 0;
  slept += 3_600_000;
  await harness.client.create(Box, boxNamed("after"));
  await harness.settle();
  expect(begun).toEqual([]);
  expect(harness.writes).toEqual([]);
  harness.interfere = () => undefined;
  await base.advance(60_000);
  expect(begun).toContain("after");
  const { items } = await harness.client.list(Lease, { namespace });
  expect(items.some(({ spec }) => spec?.holderIdentity === "one")).toBe(true);
});
