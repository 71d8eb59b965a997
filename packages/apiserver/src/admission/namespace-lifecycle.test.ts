import { describe, expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const path = "/api/v1/namespaces/test/configmaps";

describe("NamespaceLifecycle", () => {
  it("refuses creates in a namespace that does not exist", async () => {
    const { call } = await kindServer();
    const { status, body } = await call("POST", "/api/v1/namespaces/nowhere/configmaps", configMap("a"));
    expect([status, body.message]).toEqual([404, 'namespaces "nowhere" not found']);
  });

  it("refuses creates in a terminating namespace, and allows updates and deletions", async () => {
    const { call, causes } = await kindServer();
    await call("POST", path, configMap("stays"));
    await call("DELETE", "/api/v1/namespaces/test");
    const refused = await call("POST", path, { ...configMap(""), metadata: { generateName: "late-" } });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toBe(
      'configmaps "late-" is forbidden: unable to create new content in namespace test because it is being terminated',
    );
    expect(refused.body.details.causes[0].reason).toBe("NamespaceTerminating");
    expect(causes(refused)).toEqual(["metadata.namespace: namespace test is being terminated"]);
    expect((await call("PUT", `${path}/stays`, { ...configMap("stays"), data: { a: "b" } })).status).toBe(
      200,
    );
    expect((await call("DELETE", `${path}/stays`)).status).toBe(200);
  });

  it.each(["default", "kube-system", "kube-public"])("keeps %s", async (name) => {
    const { call } = await kindServer();
    const { status, body } = await call("DELETE", `/api/v1/namespaces/${name}`);
    expect([status, body.message]).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  });
});
