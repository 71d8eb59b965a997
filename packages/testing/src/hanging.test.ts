import { ConfigMap } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Greeting } from "./fixtures/greeting.js";
import { testCluster } from "./index.js";

const slow = defineController(Greeting, {
  owns: [ConfigMap],
  timeout: 60_000,
  reconcile: async (greeting, ctx) => {
    await ctx.apply(ConfigMap, { metadata: { name: greeting.metadata.name ?? "" }, data: { a: "b" } });
  },
});

test("a reconcile whose request is never answered is ended by its limit, and the next one gets through", async () => {
  await using cluster = await testCluster({ resources: [Greeting], controllers: [slow], leaks: "fail" });
  const fault = cluster.faults.fail({ client: "test", verb: "patch", resource: "configmaps" }, "hang");
  const begun = cluster.now();
  await cluster.create(Greeting, { name: "hello", spec: { text: "hi" } });
  await cluster.eventually(ConfigMap, "hello");
  expect(fault).toMatchObject({ matched: 2, failed: 1 });
  expect(cluster.now() - begun).toBeGreaterThanOrEqual(60_000);
  expect(cluster.errors).toHaveLength(1);
});
