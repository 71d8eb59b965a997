// Applying what is there already writes nothing, however much later.
import { CustomResourceDefinition, isConditionTrue, VirtualClock } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int().default(1), tags: z.record(z.string(), z.string()).optional() }),
});

test("an apply that changes nothing keeps the version, even if it declares what is not stored", async () => {
  const clock = new VirtualClock();
  await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
  const { client } = cluster;
  await client.create(CustomResourceDefinition, Widget.crd());
  await clock.runUntil(async () => {
    const { status } = await client.get(CustomResourceDefinition, "widgets.example.com");
    return isConditionTrue(status?.conditions, "Established");
  });
  const apply = () =>
    client.apply(
      Widget,
      { metadata: { name: "a", namespace: "default", labels: {} }, spec: { tags: {} } },
      { fieldManager: "operator" },
    );
  const first = await apply();
  await clock.advance(5_000);
  expect((await apply()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
});
