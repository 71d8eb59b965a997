// The whole chain, in process: a definition becomes a served kind, an object becomes its children, a change heals.
import { CustomResourceDefinition, Deployment, isNotFound, Service } from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { startManager } from "@kubewright/runtime";
import { expect, test, vi } from "vitest";
import { ModelBox } from "../../operators/modelbox/src/api/v1/model-box.js";
import modelbox from "../../operators/modelbox/src/main.js";

const namespace = "default";

async function withOperator(run: (cluster: Cluster) => Promise<void>): Promise<void> {
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  await cluster.client.create(CustomResourceDefinition, ModelBox.crd());
  const errors: unknown[] = [];
  const manager = await startManager(modelbox, {
    client: cluster.client,
    onError: (_where, error) => errors.push(error),
  });
  await run(cluster);
  await manager.close();
  expect(errors.filter((error) => !isNotFound(error))).toEqual([]);
}

const box = {
  metadata: { name: "web", namespace },
  spec: { image: "nginx:1.27", replicas: 2, ports: [{ port: 80, targetPort: 8080 }] },
};

test("a ModelBox becomes a Deployment and a Service that it owns", () =>
  withOperator(async ({ client }) => {
    const created = await client.create(ModelBox, box);
    expect(created.spec.rollingUpdate).toBe("25%");
    const deployment = await vi.waitFor(() => client.get(Deployment, "web", { namespace }));
    expect(deployment.spec?.replicas).toBe(2);
    expect(deployment.spec?.template.spec?.containers[0]).toMatchObject({ image: "nginx:1.27" });
    expect(deployment.metadata?.ownerReferences).toMatchObject([
      { kind: "ModelBox", name: "web", controller: true },
    ]);
    const service = await vi.waitFor(() => client.get(Service, "web", { namespace }));
    expect(service.spec?.ports?.[0]).toMatchObject({ port: 80, targetPort: 8080 });
  }));

test("a deleted child comes back, and a change reaches the children", () =>
  withOperator(async ({ client }) => {
    await client.create(ModelBox, box);
    const first = await vi.waitFor(() => client.get(Service, "web", { namespace }));
    await client.delete(Service, "web", { namespace });
    const second = await vi.waitFor(() => client.get(Service, "web", { namespace }));
    expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    await client.patch(ModelBox, "web", { merge: { spec: { replicas: 5 } } }, { namespace });
    await vi.waitFor(async () =>
      expect((await client.get(Deployment, "web", { namespace })).spec?.replicas).toBe(5),
    );
  }));

test("an object the schema refuses never reaches the controller", () =>
  withOperator(async ({ client }) => {
    const bad = { ...box, spec: { ...box.spec, rollingUpdate: "0%" } };
    await expect(client.create(ModelBox, bad)).rejects.toMatchObject({ code: 422, reason: "Invalid" });
  }));
