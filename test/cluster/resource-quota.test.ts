import { ConfigMap, CustomResourceDefinition, Deployment, ResourceQuota } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster, web } from "./virtual-cluster.js";

const namespace = "default";

test("a quota shows what is used, whatever comes and goes", async () => {
  await using cluster = await VirtualCluster.start();
  const used = async () => (await cluster.client.get(ResourceQuota, "all", { namespace })).status?.used;
  const hard = {
    pods: "10",
    "count/configmaps": "10",
    "count/deployments.apps": "10",
    "count/widgets.example.com": "5",
  };
  await cluster.client.create(ResourceQuota, { metadata: { name: "all", namespace }, spec: { hard } });
  await cluster.rest();
  const empty = await used();
  expect(empty).toMatchObject({ pods: "0", "count/deployments.apps": "0", "count/widgets.example.com": "0" });

  await cluster.client.create(Deployment, web({ replicas: 3 }));
  await cluster.client.create(ConfigMap, { metadata: { name: "a", namespace } });
  await cluster.client.create(CustomResourceDefinition, {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
  await cluster.rest();
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
  await cluster.client.raw("/apis/example.com/v1/namespaces/default/widgets", { method: "POST", body });
  await cluster.rest();
  expect(await used()).toEqual({
    pods: "3",
    "count/configmaps": String(Number(empty?.["count/configmaps"]) + 1),
    "count/deployments.apps": "1",
    "count/widgets.example.com": "1",
  });
  await cluster.client.delete(Deployment, "web", { namespace });
  await cluster.rest();
  expect(await used()).toMatchObject({ pods: "0", "count/deployments.apps": "0" });
});
