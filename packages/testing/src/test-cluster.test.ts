import { ConfigMap, Namespace } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";
import { testCluster } from "./index.js";

const Greeting = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Greeting",
  spec: z.object({ text: z.string().min(1) }),
});

const controller = defineController(Greeting, {
  owns: [ConfigMap],
  async reconcile(greeting, ctx) {
    await ctx.apply(ConfigMap, {
      metadata: { name: greeting.metadata.name ?? "" },
      data: { text: greeting.spec.text },
    });
  },
});

test("runs the controllers under test, and a wish comes true", async () => {
  await using cluster = await testCluster({ resources: [Greeting], controllers: [controller] });
  await cluster.create(Greeting, { name: "hello", spec: { text: "hi" } });
  const child = await cluster.eventually(ConfigMap, "hello", (object) => object.data?.["text"] === "hi");
  expect(child.metadata?.namespace).toBe("default");
  expect(cluster.errors).toEqual([]);
});

test("a namespace of its own", async () => {
  await using cluster = await testCluster({ namespace: "suite" });
  expect((await cluster.get(Namespace, "suite")).status?.phase).toBe("Active");
  await cluster.create(ConfigMap, { name: "a", data: { k: "v" } });
  expect((await cluster.get(ConfigMap, "a")).metadata?.namespace).toBe("suite");
  await cluster.delete(ConfigMap, "a");
  await cluster.eventuallyGone(ConfigMap, "a");
});

test("a wish that does not come true says what is there instead", async () => {
  await using cluster = await testCluster();
  await cluster.create(ConfigMap, { name: "a", data: { k: "v" } });
  const wish = cluster.eventually(ConfigMap, "a", (object) => object.data?.["k"] === "w", { timeout: 50 });
  await expect(wish).rejects.toThrow(
    /ConfigMap default\/a was not as wished within 50 ms\nit is \{[\s\S]*"k": "v"/,
  );
  await expect(cluster.eventually(ConfigMap, "b", undefined, { timeout: 50 })).rejects.toThrow(
    "there is none",
  );
});
