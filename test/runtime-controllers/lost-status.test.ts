// A status whose write was committed while its answer was lost, and whose event has not arrived: the cache shows a status that is not there.
import { ConfigMap } from "@kubewright/api";
import { defineController, generationChanged, watch } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { Box, boxNamed, namespace } from "./harness.js";

/** The status says what a ConfigMap says; a change of the status alone causes no reconcile. */
const controller = defineController(Box, {
  when: generationChanged,
  watches: [
    watch(ConfigMap, {
      targets: ({ metadata }) => (metadata?.name === "source" ? [{ name: "a", namespace }] : []),
    }),
  ],
  async reconcile(_, ctx) {
    const source = await ctx.get(ConfigMap, "source");
    ctx.status({ ready: Number(source?.data?.["ready"] ?? 0) });
  },
});

test("a status whose write was answered by nobody is compared with the server, not with the cache", async () => {
  await using cluster = await testCluster({ resources: [Box], controllers: [controller], leaks: "ignore" });
  const { client, faults } = cluster;
  const write = (ready: string) =>
    client.patch(ConfigMap, "source", { merge: { data: { ready } } }, { namespace });
  await cluster.create(ConfigMap, { name: "source", data: { ready: "1" } });
  await client.create(Box, boxNamed("a"));
  await cluster.eventually(Box, "a", ({ status }) => status?.ready === 1);
  faults.holdWatches({ client: "test", resource: "boxes" }, 60_000);
  const lost = faults.fail({ verb: "patch", resource: "boxes/status" }, "lost");
  await write("2");
  await cluster.settle();
  expect(lost.failed).toBe(1);
  await write("1");
  await cluster.advance("2m");
  expect((await cluster.get(Box, "a")).status?.ready).toBe(1);
});
