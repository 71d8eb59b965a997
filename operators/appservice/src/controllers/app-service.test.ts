import { Deployment, Service } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { AppService } from "../api/v1/app-service.js";
import manager from "../main.js";

const options = { resources: customKindsOf(manager), manager };
const spec = { size: 2, image: "nginx:1.7.9", ports: [{ port: 80, targetPort: 80, nodePort: 30002 }] };
const namespace = "default";

describe("an AppService", () => {
  test("has a Deployment and a Service, and their status in its own", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(AppService, { name: "nginx-app", spec });
    await cluster.condition(AppService, "nginx-app", "Progressing", "False");
    const service = await cluster.get(Service, "nginx-app");
    expect(service.spec).toMatchObject({ type: "NodePort", ports: [{ nodePort: 30002 }] });
    const { status } = await cluster.get(AppService, "nginx-app");
    expect(status).toMatchObject({ replicas: 2, availableReplicas: 2, ready: "2/2", nodePorts: [30002] });
    expect(cluster.errors).toEqual([]);
  });

  test("is converted between both served versions", async () => {
    await using cluster = await testCluster(options);
    const Old = AppService.versions.v1alpha1;
    await cluster.create(Old, { name: "old", spec });
    await cluster.condition(AppService, "old", "Available");
    await cluster.client.patch(
      AppService,
      "old",
      { merge: { spec: { serviceType: "LoadBalancer" } } },
      { namespace },
    );
    await cluster.client.patch(Old, "old", { merge: { spec: { size: 3 } } }, { namespace });
    await cluster.eventually(Deployment, "old", (deployment) => deployment.spec?.replicas === 3);
    expect((await cluster.get(AppService, "old")).spec).toMatchObject({
      size: 3,
      serviceType: "LoadBalancer",
    });
    expect((await cluster.get(Old, "old")).spec).not.toHaveProperty("serviceType");
    await cluster.eventually(Service, "old", (service) => service.spec?.type === "LoadBalancer");
  });

  test("has no Service without ports, and loses the one it had", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(AppService, { name: "web", spec });
    await cluster.eventually(Service, "web");
    await cluster.client.patch(
      AppService,
      "web",
      { merge: { spec: { ports: null } } as never },
      { namespace },
    );
    await cluster.eventuallyGone(Service, "web");
    await cluster.eventually(AppService, "web", ({ status }) => status?.address === undefined);
    expect(cluster.errors).toEqual([]);
  });
});
