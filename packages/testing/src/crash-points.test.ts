import { ConfigMap, Deployment } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Greeting, operator } from "./fixtures/greeting.js";
import { everyCrashPoint, type TestCluster } from "./index.js";

test("an operator that declares what it wants survives a crash after every write", {
  timeout: 60_000,
}, async () => {
  const { writes } = await everyCrashPoint(operator, async (cluster) => {
    await cluster.create(Greeting, { name: "hello", spec: { text: "hi", replicas: 2 } });
    await cluster.eventually(Greeting, "hello", ({ status }) => status?.ready === 2);
    await cluster.condition(Deployment, "hello", "Available");
    expect(await cluster.list(ConfigMap, "!kubernetes.io/none")).toHaveLength(2);
  });
  expect(writes.length).toBeGreaterThanOrEqual(3);
});

test("a controller that creates without a prior read does not, and the report names the crash point", {
  timeout: 60_000,
}, async () => {
  // Counts on its memory: after a crash it makes the child a second time.
  const made = new Set<string>();
  const forgetful = defineController(Greeting, {
    owns: [ConfigMap],
    async reconcile(greeting, ctx) {
      const uid = greeting.metadata.uid ?? "";
      if (made.has(uid) || greeting.status?.ready) return;
      const children = await ctx.list(ConfigMap);
      const name = `${greeting.metadata.name}-${children.length}`;
      await ctx.apply(ConfigMap, { metadata: { name }, data: {} });
      made.add(uid);
      ctx.status({ ready: 1 });
    },
  });
  const run = everyCrashPoint(
    { resources: [Greeting], controllers: [forgetful] },
    async (cluster: TestCluster) => {
      made.clear();
      await cluster.create(Greeting, { name: "hello", spec: { text: "hi" } });
      await cluster.eventually(Greeting, "hello", ({ status }) => status?.ready === 1);
      const names = (await cluster.list(ConfigMap)).map(({ metadata }) => metadata?.name ?? "");
      expect(names.filter((name) => name.startsWith("hello-"))).toHaveLength(1);
    },
  );
  await expect(run).rejects.toThrow(/^the manager crashed after write 1 \(PATCH .*configmaps\/hello-\d/);
});
