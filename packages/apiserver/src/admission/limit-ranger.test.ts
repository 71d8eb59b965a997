import { expect, it } from "vitest";
import { podServer } from "../kinds/fixtures/pod-server.js";

const core = "/api/v1/namespaces/test";

async function limitedServer(...limits: object[]) {
  const server = await podServer();
  const range = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: { limits } };
  const { status, body } = await server.call("POST", `${core}/limitranges`, range);
  if (status !== 201) throw new Error(body.message);
  return server;
}

const asking = (requests: object, limits: object = {}) => ({
  containers: [{ name: "c", image: "i", resources: { requests, limits } }],
});

it("LimitRanger: gives containers default requests and limits", async () => {
  const { attempt } = await limitedServer({
    type: "Container",
    default: { cpu: "1", memory: "1Gi" },
    defaultRequest: { cpu: "100m", memory: "64Mi" },
  });
  const spec = {
    containers: [{ name: "c", image: "i", resources: { requests: { cpu: "200m" } } }],
    initContainers: [{ name: "i", image: "i" }],
  };
  const { body } = await attempt(spec);
  expect(body.spec.containers[0].resources).toEqual({
    requests: { cpu: "200m", memory: "64Mi" },
    limits: { cpu: "1", memory: "1Gi" },
  });
  expect(body.metadata.annotations).toEqual({
    "kubernetes.io/limit-ranger":
      "LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; cpu, memory request for init container i; cpu, memory limit for init container i",
  });
});

it.each([
  [{ type: "Pod", min: { cpu: "100m" } }, {}, "minimum cpu usage per Pod is 100m.  No request is specified"],
  [
    { type: "Container", min: { cpu: "100m" } },
    asking({ cpu: "50m" }),
    "minimum cpu usage per Container is 100m, but request is 50m",
  ],
  [
    { type: "Container", max: { memory: "1Gi" } },
    asking({}, { memory: "2Gi" }),
    "[maximum memory usage per Container is 1Gi, but limit is 2Gi, maximum memory usage per Pod is 1Gi, but limit is 2Gi]",
  ],
  [
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    asking({ cpu: "100m" }, { cpu: "300m" }),
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
  ],
  [
    { type: "Pod", max: { cpu: "1" } },
    {
      containers: ["a", "b"].map((name) => ({ name, image: "i", resources: { limits: { cpu: "600m" } } })),
    },
    "maximum cpu usage per Pod is 1, but limit is 1200m",
  ],
])("LimitRanger: %j refuses %j", async (limit, spec, text) => {
  const further = text.startsWith("[") ? [{ ...limit, type: "Pod" }] : [];
  const { attempt } = await limitedServer(limit, ...further);
  const { status, body } = await attempt(spec);
  expect(status).toBe(403);
  expect(body.message).toBe(`pods "p" is forbidden: ${text}`);
});

it("LimitRanger: limits claims", async () => {
  const server = await limitedServer({
    type: "PersistentVolumeClaim",
    min: { storage: "1Gi" },
    max: { storage: "2Gi" },
  });
  const attempt = async (storage: string) => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c" }, spec };
    return server.call("POST", `${core}/persistentvolumeclaims`, claim, { query: { dryRun: "All" } });
  };
  expect((await attempt("1Gi")).status).toBe(201);
  expect((await attempt("3Gi")).body.message).toBe(
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  );
});

it("LimitRanger: limits a resize as it limits a new pod", async () => {
  const server = await limitedServer({ type: "Container", max: { cpu: "1" } });
  await server.create("p", asking({ cpu: "100m" }, { cpu: "1" }));
  const change = { spec: { containers: [{ name: "c", resources: { limits: { cpu: "2" } } }] } };
  const options = { contentType: "application/strategic-merge-patch+json" };
  const { body } = await server.call("PATCH", `${core}/pods/p/resize`, change, options);
  expect(body.message).toContain("maximum cpu usage per Container is 1, but limit is 2");
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/r${index}`, "1"]));
const crowd = {
  containers: Array.from({ length: 2_000 }, (_, index) => ({ name: `c${index}`, image: "i" })),
};

it("LimitRanger: fills in no more than could be stored, however many containers and limits there are", async () => {
  const { attempt } = await limitedServer({ type: "Container", default: many(10_000) });
  const { status, body } = await attempt(crowd);
  expect([status, body.message]).toEqual([500, "etcdserver: request is too large"]);
});

it("LimitRanger: reports a bounded number of problems", async () => {
  const { attempt } = await limitedServer({ type: "Container", maxLimitRequestRatio: many(10_000) });
  const { status, body } = await attempt(crowd);
  expect(status).toBe(403);
  expect(body.message.match(/but no request is specified/g)).toHaveLength(10_000);
});
