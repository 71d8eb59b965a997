import { Deployment, type KubeObject } from "@kubewright/api";
import { expect, it } from "vitest";
import { createApiServer } from "../server.js";
import { MemoryStorage } from "../storage/index.js";

const path = "/apis/apps/v1/namespaces/default/deployments";
const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: Deployment.kind,
  metadata: { name: "web", labels },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1" }] } },
  },
};

async function started() {
  const storage = new MemoryStorage();
  const server = createApiServer({ storage, disableAdmission: ["ServiceAccount"] });
  const call = server.transport();
  const send = async (method: "POST" | "PATCH" | "PUT", at: string, value: unknown): Promise<KubeObject> => {
    const type = method === "PATCH" ? "merge-patch+json" : "json";
    const headers = { "content-type": `application/${type}` };
    const { body } = await call({ method, path: at, headers, body: { kind: "object", value } });
    if (body.kind !== "object") throw new Error(body.kind);
    return body.value as KubeObject;
  };
  await send("POST", path, deployment);
  const stored = () => storage.get("apps/deployments", "default/web") as Record<string, unknown> | undefined;
  return { send, stored, server, storage };
}

it("unchanged parts: a patch of the status shares the stored spec", async () => {
  const { send, stored, server } = await started();
  const before = stored();
  await send("PATCH", `${path}/web/status`, { status: { replicas: 1 } });
  expect(stored()).not.toBe(before);
  expect(stored()?.["spec"]).toBe(before?.["spec"]);
  expect(Object.keys(stored() ?? {})).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
  server.close();
});

it.each(["PUT", "PATCH"] as const)(
  "unchanged parts: a write of a pod's status with %s shares the stored spec",
  async (method) => {
    const { send, server, storage } = await started();
    const at = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "web:1" }], serviceAccountName: "default" };
    await send("POST", at, { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec });
    const before = storage.get("pods", "default/p");
    const status = { phase: "Running" };
    await send(method, `${at}/p/status`, method === "PUT" ? { ...before, status } : { status });
    expect(storage.get("pods", "default/p")).toMatchObject({ status });
    expect(storage.get("pods", "default/p")?.["spec"]).toBe(before?.["spec"]);
    server.close();
  },
);

it("unchanged parts: a patch of the status that contains a spec keeps the stored one", async () => {
  const { send, stored, server } = await started();
  const before = stored();
  await send("PATCH", `${path}/web/status`, { spec: { replicas: 7 }, status: { replicas: 1 } });
  expect(stored()?.["spec"]).toEqual(before?.["spec"]);
  server.close();
});

it("unchanged parts: a patch of the object changes the spec", async () => {
  const { send, server } = await started();
  expect(await send("PATCH", `${path}/web`, { spec: { replicas: 7 } })).toMatchObject({
    spec: { replicas: 7, selector: { matchLabels: labels } },
    metadata: { generation: 2, managedFields: [expect.anything()] },
  });
  server.close();
});
