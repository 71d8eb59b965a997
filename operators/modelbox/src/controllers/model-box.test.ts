import { Deployment, Pod, Service } from "@kubewright/api";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { ModelBox } from "../api/v1/model-box.js";
import { modelBoxController } from "./model-box.js";

const options = { resources: [ModelBox], controllers: [modelBoxController] };
const spec = { image: "nginx:1.27", replicas: 2, ports: [{ port: 80, targetPort: 8080 }] };

test("becomes a Deployment and a Service that it owns, and its pods become ready", async () => {
  await using cluster = await testCluster(options);
  const box = await cluster.create(ModelBox, { name: "web", spec });
  expect(box.spec.rollingUpdate).toBe("25%");
  const deployment = await cluster.eventually(
    Deployment,
    "web",
    ({ status }) => status?.availableReplicas === 2,
    {
      timeout: 15_000,
    },
  );
  expect(deployment.spec?.template.spec?.containers[0]).toMatchObject({ image: "nginx:1.27" });
  expect(deployment.metadata?.ownerReferences).toMatchObject([
    { kind: "ModelBox", name: "web", controller: true },
  ]);
  const service = await cluster.eventually(Service, "web");
  expect(service.spec?.ports?.[0]).toMatchObject({ port: 80, targetPort: 8080 });
  await cluster.eventually(ModelBox, "web", ({ status }) => status?.readyReplicas === 2);
  expect(cluster.errors).toEqual([]);
}, 20_000);

test("a deleted Service comes back, and so does a deleted Deployment", async () => {
  await using cluster = await testCluster(options);
  await cluster.create(ModelBox, { name: "web", spec });
  const service = await cluster.eventually(Service, "web");
  const deployment = await cluster.eventually(Deployment, "web");
  await cluster.delete(Service, "web");
  await cluster.eventually(Service, "web", ({ metadata }) => metadata?.uid !== service.metadata?.uid);
  await cluster.delete(Deployment, "web");
  await cluster.eventually(Deployment, "web", ({ metadata }) => metadata?.uid !== deployment.metadata?.uid);
  expect(cluster.errors).toEqual([]);
});

test("a change reaches the Deployment, and a hand that changes it back is corrected", async () => {
  await using cluster = await testCluster(options);
  const namespace = "default";
  await cluster.create(ModelBox, { name: "web", spec });
  await cluster.eventually(Deployment, "web");
  await cluster.client.patch(ModelBox, "web", { merge: { spec: { replicas: 5 } } }, { namespace });
  await cluster.eventually(Deployment, "web", (deployment) => deployment.spec?.replicas === 5);
  await cluster.client.patch(Deployment, "web", { merge: { spec: { replicas: 1 } } }, { namespace });
  await cluster.eventually(Deployment, "web", (deployment) => deployment.spec?.replicas === 5);
});

test("deleting the box takes everything along", async () => {
  await using cluster = await testCluster(options);
  await cluster.create(ModelBox, { name: "web", spec });
  await cluster.eventually(Deployment, "web", ({ status }) => status?.replicas === 2);
  await cluster.delete(ModelBox, "web");
  await cluster.eventuallyGone(Deployment, "web");
  await cluster.eventuallyGone(Service, "web");
  const isEmpty = async () => (await cluster.client.list(Pod, { namespace: "default" })).items.length === 0;
  await expect.poll(isEmpty, { timeout: 5_000 }).toBe(true);
});

test("an object the schema refuses never reaches the controller", async () => {
  await using cluster = await testCluster(options);
  const refused = cluster.create(ModelBox, { name: "web", spec: { ...spec, rollingUpdate: "0%" } });
  await expect(refused).rejects.toMatchObject({ code: 422, reason: "Invalid" });
});
