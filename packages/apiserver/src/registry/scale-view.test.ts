import { describe, expect, it } from "vitest";
import { selector, template, workloadServer } from "../kinds/fixtures/workload-server.js";

const spec = { replicas: 2, selector, template: template() };
const scaled = (replicas: number, metadata: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "w", ...metadata },
  spec: { replicas },
});

describe("scale subresource", () => {
  it.each([
    ["apps/v1", "Deployment", "deployments", spec],
    ["apps/v1", "ReplicaSet", "replicasets", spec],
    ["apps/v1", "StatefulSet", "statefulsets", { ...spec, serviceName: "s" }],
    ["v1", "ReplicationController", "replicationcontrollers", { replicas: 2, template: template() }],
  ])("of %s %s", async (apiVersion, kind, plural, content) => {
    const { create, call, patch, path } = await workloadServer(apiVersion, kind, plural);
    const object = await create("w", { spec: content });
    await patch(`${path}/w/status`, { status: { replicas: 1 } });
    const { body } = await call("GET", `${path}/w/scale`);
    expect(body).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "w", namespace: "test", uid: object.metadata.uid },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=a" },
    });
    const answer = await call("PUT", `${path}/w/scale`, scaled(5));
    expect(answer).toMatchObject({ status: 200, body: { kind: "Scale", spec: { replicas: 5 } } });
    expect((await call("GET", `${path}/w`)).body).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 2, resourceVersion: answer.body.metadata.resourceVersion },
    });
  });

  const deployment = async () => {
    const server = await workloadServer("apps/v1", "Deployment", "deployments");
    const object = await server.create("w", { spec });
    return { ...server, object, scale: `${server.path}/w/scale` };
  };

  it("omits zero replicas from the spec", async () => {
    const { patch, scale } = await deployment();
    const { body } = await patch(scale, { spec: { replicas: 0 } });
    expect(body.spec).toEqual({});
  });

  it("is refused with another resourceVersion, another UID or negative replicas", async () => {
    const { call, patch, scale, causes, object } = await deployment();
    expect((await call("PUT", scale, scaled(3, { resourceVersion: "1" }))).body.reason).toBe("Conflict");
    const { resourceVersion } = object.metadata;
    expect((await call("PUT", scale, scaled(3, { resourceVersion }))).status).toBe(200);
    expect(await call("PUT", scale, scaled(3, { uid: "x" }))).toMatchObject({
      status: 409,
      body: { details: { kind: "deployments/scale" } },
    });
    const negative = await patch(scale, { spec: { replicas: -1 } });
    expect(negative.body.message).toContain('Scale.autoscaling "w" is invalid');
    expect(causes(negative)).toEqual([
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ]);
    expect((await call("GET", scale.replace("/w/", "/x/"))).status).toBe(404);
    expect((await call("DELETE", scale)).status).toBe(405);
  });

  it("records the manager of replicas in managed fields of the object", async () => {
    const { call, scale, path } = await deployment();
    const query = { fieldManager: "autoscaler", force: "true" };
    const contentType = "application/apply-patch+yaml";
    const { status, body } = await call("PATCH", scale, scaled(4), { query, contentType });
    expect(status).toBe(200);
    expect(body.metadata.managedFields).toBeUndefined();
    const { metadata } = (await call("GET", `${path}/w`)).body;
    const owners = metadata.managedFields.filter(({ fieldsV1 }: { fieldsV1: Record<string, object> }) =>
      Object.hasOwn(fieldsV1["f:spec"] ?? {}, "f:replicas"),
    );
    expect(owners).toMatchObject([
      { manager: "autoscaler", operation: "Apply", subresource: "scale", apiVersion: "apps/v1" },
    ]);
    const conflict = await call(
      "PATCH",
      path.concat("/w"),
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "w" }, spec: { replicas: 1 } },
      { query: { fieldManager: "other" }, contentType },
    );
    expect(conflict.body.message).toContain('conflict with "autoscaler"');
  });

  it("changes nothing in a dry run", async () => {
    const { call, scale } = await deployment();
    await call("PUT", scale, scaled(9), { query: { dryRun: "All" } });
    expect((await call("GET", scale)).body.spec.replicas).toBe(2);
  });
});
