// Not a vitest file: run by node itself, as a user of node:test would.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ConfigMap, Deployment } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";

const copier = defineController(ConfigMap, {
  name: "copier",
  labelSelector: "copy",
  owns: [ConfigMap],
  async reconcile(map, ctx) {
    await ctx.apply(ConfigMap, { metadata: { name: `${map.metadata.name}-copy` }, data: map.data });
  },
});

describe("a suite of node:test", () => {
  let cluster;
  before(async () => {
    cluster = await testCluster({ controllers: [copier], leaks: process.env.LEAK ? "warn" : "fail" });
  });
  after(() => cluster.close());

  test("runs the controllers under test", async () => {
    const scope = await cluster.forTest();
    await scope.create(ConfigMap, { metadata: { name: "a", labels: { copy: "" } }, data: { k: "v" } });
    const copy = await scope.eventually(ConfigMap, "a-copy");
    assert.equal(copy.data.k, "v");
    await scope.close();
  });

  test("has a whole cluster around it", async () => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1" }] } };
    await cluster.create(Deployment, { name: "web", spec: { selector: { matchLabels: labels }, template } });
    await cluster.condition(Deployment, "web", "Available");
    if (process.env.LEAK) cluster.client.watch(ConfigMap, { namespace: "default" }).next();
  });
});
