import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/api/v1/namespaces";
const namespace = (metadata: object, rest: object = {}) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata,
  ...rest,
});

describe("Namespace", () => {
  it("is Active, labelled with its name, and has its finalizer", async () => {
    const { call } = await kindServer();
    const { body } = await call(
      "POST",
      path,
      namespace({ generateName: "a-" }, { spec: { finalizers: ["b.example/x"] } }),
    );
    expect(body.metadata.labels).toEqual({ "kubernetes.io/metadata.name": body.metadata.name });
    expect(body.metadata.generation).toBeUndefined();
    expect(body).toMatchObject({
      spec: { finalizers: ["b.example/x", "kubernetes"] },
      status: { phase: "Active" },
    });
  });

  it("keeps its label and its finalizers in updates", async () => {
    const { patch } = await kindServer();
    const { body } = await patch(`${path}/test`, {
      metadata: { labels: { "kubernetes.io/metadata.name": null } },
      spec: { finalizers: [] },
    });
    expect(body.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "test" });
    expect(body.spec).toEqual({ finalizers: ["kubernetes"] });
  });

  it("is Terminating when deleted, and removed when finalized", async () => {
    const { call } = await kindServer();
    const first = await call("DELETE", `${path}/test`);
    expect(first.body.status.phase).toBe("Terminating");
    expect(first.body.metadata.deletionTimestamp).toBeDefined();
    expect(first.body.metadata.deletionGracePeriodSeconds).toBeUndefined();
    const again = await call("DELETE", `${path}/test`);
    expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const finalized = await call("PUT", `${path}/test/finalize`, namespace({ name: "test" }, { spec: {} }));
    expect(finalized.body).toMatchObject({ spec: {}, status: { phase: "Terminating" } });
    expect((await call("GET", `${path}/test`)).status).toBe(404);
  });

  it("stays when finalized before it is deleted, and is removed by the second delete", async () => {
    const { call } = await kindServer();
    await call("PUT", `${path}/test/finalize`, namespace({ name: "test" }, { spec: {} }));
    expect((await call("GET", `${path}/test`)).body.spec).toEqual({});
    expect((await call("DELETE", `${path}/test`)).body.status.phase).toBe("Terminating");
    await call("DELETE", `${path}/test`);
    expect((await call("GET", `${path}/test`)).status).toBe(404);
  });

  it.each([
    ["status", { status: { phase: "Terminating" } }, "status.Phase"],
    ["finalize", { spec: { finalizers: ["nodomain"] } }, "spec.finalizers[0]"],
  ])("validates %s", async (subresource, rest, field) => {
    const { call } = await kindServer();
    const { status, body } = await call(
      "PUT",
      `${path}/test/${subresource}`,
      namespace({ name: "test" }, rest),
    );
    expect([status, body.details?.causes?.[0]?.field]).toEqual([422, field]);
  });

  it("refuses a name that is not a DNS label", async () => {
    const { call, causes } = await kindServer();
    expect(causes(await call("POST", path, namespace({ name: "a.b" })))).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });
});

describe("Namespace: a delete with dryRun", () => {
  it("returns the terminating object, and changes nothing", async () => {
    const { call } = await kindServer();
    const tried = await call("DELETE", `${path}/test`, undefined, { query: { dryRun: "All" } });
    expect(tried.body).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      status: { phase: "Terminating" },
    });
    expect((await call("GET", `${path}/test`)).body.status.phase).toBe("Active");
  });
});
