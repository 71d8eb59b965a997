import { expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";
import { podOf } from "../kinds/fixtures/pod-server.js";

const core = "/api/v1/namespaces/test";
const quotas = `${core}/resourcequotas`;

/** A server with one quota whose usage is known, as if a controller had counted. */
async function quotaServer(hard: Record<string, string>, spec: object = {}, used: object = {}) {
  const server = await kindServer({ disableAdmission: ["ServiceAccount"] });
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard, ...spec } };
  const { body } = await server.call("POST", quotas, quota);
  const nothing = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  await server.call("PUT", `${quotas}/q/status`, {
    ...body,
    status: { hard, used: { ...nothing, ...used } },
  });
  const usage = async () => (await server.call("GET", `${quotas}/q`)).body.status.used;
  const create = (plural: string, object: object) => server.call("POST", `${core}/${plural}`, object);
  return { ...server, usage, create };
}

const asking = (requests: object, limits: object = {}) => ({
  containers: [{ name: "c", image: "i", resources: { requests, limits } }],
});
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const service = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const claim = (storage: string, storageClassName = "gold") => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "c" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } },
});

it("ResourceQuota: refuses a create that exceeds a quota, with requested, used and limited amounts", async () => {
  const { create, usage } = await quotaServer({ "requests.cpu": "1", "requests.memory": "1Gi", pods: "9" });
  const spec = asking({ cpu: "600m", memory: "128Mi" });
  expect((await create("pods", podOf("a", spec))).status).toBe(201);
  expect(await usage()).toEqual({ "requests.cpu": "600m", "requests.memory": "128Mi", pods: "1" });
  const { status, body } = await create("pods", podOf("b", spec));
  expect(status).toBe(403);
  expect(body.message).toBe(
    'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
  );
});

it("ResourceQuota: requires containers to set the resources that are limited", async () => {
  const { create } = await quotaServer({ "limits.cpu": "1", "requests.memory": "1Gi" });
  const { body } = await create("pods", podOf("a"));
  expect(body.message).toBe(
    'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: c; requests.memory for: c',
  );
});

it("ResourceQuota: refuses writes while usage is unknown", async () => {
  const server = await quotaServer({ pods: "9" });
  const { body } = await server.call("GET", `${quotas}/q`);
  await server.call("PUT", `${quotas}/q/status`, { ...body, status: { hard: { pods: "9" } } });
  expect((await server.create("pods", podOf("a"))).body.message).toBe(
    'pods "a" is forbidden: status unknown for quota: q, resources: pods',
  );
});

it.each([
  ["BestEffort", podOf("a"), 403],
  ["NotBestEffort", podOf("a"), 201],
  ["NotBestEffort", podOf("a", asking({ cpu: "1" })), 403],
  ["Terminating", podOf("a", { activeDeadlineSeconds: 1 }), 403],
])("ResourceQuota: applies the scope %s", async (scope, pod, status) => {
  const { create } = await quotaServer({ pods: "0" }, { scopes: [scope] });
  expect((await create("pods", pod)).status).toBe(status);
});

it("ResourceQuota: counts objects of built-in and custom kinds", async () => {
  const server = await quotaServer({ "count/configmaps": "1", "count/crons.example.com": "1" });
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "crons.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "crons", kind: "Cron" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };
  await server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  const crons = "/apis/example.com/v1/namespaces/test/crons";
  await expect.poll(async () => (await server.call("GET", crons)).status).toBe(200);
  const cron = (name: string) => ({ apiVersion: "example.com/v1", kind: "Cron", metadata: { name } });
  expect((await server.call("POST", crons, cron("a"))).status).toBe(201);
  expect((await server.call("POST", crons, cron("b"))).body.message).toBe(
    'crons.example.com "b" is forbidden: exceeded quota: q, requested: count/crons.example.com=1, used: count/crons.example.com=1, limited: count/crons.example.com=1',
  );
  expect((await server.create("configmaps", configMap("a"))).status).toBe(201);
  expect((await server.create("configmaps", configMap("b"))).status).toBe(403);
});

it("ResourceQuota: charges an update of a service for the node ports and load balancers it adds", async () => {
  const server = await quotaServer({
    services: "2",
    "services.nodeports": "1",
    "services.loadbalancers": "0",
  });
  await server.create("services", service("a", { type: "ClusterIP" }));
  expect((await server.patch(`${core}/services/a`, { spec: { type: "NodePort" } })).status).toBe(200);
  expect(await server.usage()).toMatchObject({ services: "1", "services.nodeports": "1" });
  expect(
    (await server.patch(`${core}/services/a`, { spec: { type: "LoadBalancer" } })).body.message,
  ).toContain(
    "requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0",
  );
});

it("ResourceQuota: limits storage by class", async () => {
  const hard = { "gold.storageclass.storage.k8s.io/requests.storage": "1Gi" };
  const { create } = await quotaServer(hard);
  expect((await create("persistentvolumeclaims", claim("2Gi"))).status).toBe(403);
  expect((await create("persistentvolumeclaims", claim("2Gi", "tape"))).status).toBe(201);
});

it("ResourceQuota: admits exactly as many concurrent creates as fit", async () => {
  const { create, usage } = await quotaServer({ "count/configmaps": "10" });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => create("configmaps", configMap(`m${index}`))),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(await usage()).toEqual({ "count/configmaps": "10" });
});

it("ResourceQuota: charges nothing for dry runs and refused creates", async () => {
  const server = await quotaServer({ "count/configmaps": "2" });
  await server.create("configmaps", configMap("a"));
  expect((await server.create("configmaps", configMap("a"))).status).toBe(409);
  const dryRun = { query: { dryRun: "All" } };
  expect((await server.call("POST", `${core}/configmaps`, configMap("b"), dryRun)).status).toBe(201);
  expect(await server.usage()).toEqual({ "count/configmaps": "1" });
  expect((await server.create("configmaps", configMap("b"))).status).toBe(201);
});

it("ResourceQuota: requires no container resources of pods with pod-level resources", async () => {
  const { create, usage } = await quotaServer({ "limits.cpu": "2", "requests.cpu": "2" });
  const resources = { requests: { cpu: "1" }, limits: { cpu: "2" } };
  expect((await create("pods", podOf("a", { resources }))).status).toBe(201);
  expect(await usage()).toEqual({ "limits.cpu": "2", "requests.cpu": "1" });
});

it.each([
  [{}, 200],
  [{ pods: "1" }, 403],
])(
  "ResourceQuota: charges a pod that gets a deadline to the quota of such pods: %j used",
  async (used, status) => {
    const server = await quotaServer({ pods: "1" }, { scopes: ["Terminating"] }, used);
    await server.create("pods", podOf("a"));
    const answer = await server.patch(`${core}/pods/a`, { spec: { activeDeadlineSeconds: 5 } });
    expect(answer.status).toBe(status);
    expect(await server.usage()).toEqual({ pods: "1" });
  },
);

it("ResourceQuota: limits devices by class", async () => {
  const server = await quotaServer({ "gpu.deviceclass.resource.k8s.io/devices": "4" });
  const path = "/apis/resource.k8s.io/v1/namespaces/test/resourceclaims";
  const claimOf = (name: string, count: number) => ({
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", count } }] } },
  });
  expect((await server.call("POST", path, claimOf("a", 3))).status).toBe(201);
  expect((await server.call("POST", path, claimOf("b", 2))).body.message).toBe(
    'resourceclaims.resource.k8s.io "b" is forbidden: exceeded quota: q, requested: gpu.deviceclass.resource.k8s.io/devices=2, used: gpu.deviceclass.resource.k8s.io/devices=3, limited: gpu.deviceclass.resource.k8s.io/devices=4',
  );
});
