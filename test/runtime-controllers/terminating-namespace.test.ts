// In a namespace that is being deleted nothing can be created. That is no failure of an operator.
import { ConfigMap, Namespace } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, copiesOf, Harness } from "./harness.js";

test("terminating namespace: a refused child is no error, is not retried in haste, and is not reported", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  let attempts = 0;
  await client.create(Namespace, { metadata: { name: "leaving" } });
  await client.create(Box, {
    metadata: { name: "a", namespace: "leaving", finalizers: ["example.com/held"] },
    spec: {},
  });
  await client.delete(Namespace, "leaving");
  await harness.manage([
    defineController(Box, {
      owns: [ConfigMap],
      async reconcile(box, ctx) {
        attempts += 1;
        ctx.event({ reason: "Seen", note: "an event that is refused too" });
        for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
      },
    }),
  ]);
  await clock.advance(600_000);
  expect(attempts).toBeGreaterThan(0);
  expect(attempts).toBeLessThan(15);
  expect(harness.errors).toEqual([]);
  expect(harness.logs.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  expect((await client.get(Box, "a", { namespace: "leaving" })).status?.conditions).toBeUndefined();
});
