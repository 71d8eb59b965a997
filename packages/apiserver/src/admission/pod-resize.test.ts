import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../kinds/fixtures/pod-server.js";

const sized = (requests: object, limits?: object) => ({
  containers: [{ name: "c", image: "i", resources: { requests, ...(limits && { limits }) } }],
});
const guaranteed = (cpu: string) => sized({ cpu, memory: "1Gi" }, { cpu, memory: "1Gi" });
const able = ["GuaranteedQoSPodCPUResize", "InPlacePodLevelResourcesVerticalScaling"];

interface NodeFacts {
  readonly os?: string;
  readonly features?: readonly string[];
  readonly name?: string;
}

async function serverWithNode({ os = "linux", features = able, name = "n" }: NodeFacts = {}) {
  const server = await podServer();
  await server.call("POST", "/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": os } },
    status: { allocatable: { cpu: "4", memory: "8Gi" }, declaredFeatures: features },
  });
  const resize = (to: object) => server.patch(`${podsPath}/p/resize`, { spec: to });
  return { ...server, resize };
}

describe("PodResizeValidator", () => {
  it("allows a resize within the node's allocatable resources", async () => {
    const { create, resize } = await serverWithNode();
    await create("p", { nodeName: "n", ...sized({ cpu: "1", memory: "1Gi" }) });
    expect((await resize(sized({ cpu: "4", memory: "8Gi" }))).status).toBe(200);
  });

  it.each([
    [{ cpu: "4100m", memory: "1Gi" }, "cpu, requested: 4100, allocatable: 4000"],
    [
      { cpu: "5", memory: "9Gi" },
      "cpu, requested: 5000, allocatable: 4000; memory, requested: 9663676416, allocatable: 8589934592",
    ],
  ])("refuses a resize beyond the node's allocatable resources: %j", async (requests, text) => {
    const { create, resize } = await serverWithNode();
    await create("p", { nodeName: "n", ...sized({ cpu: "1", memory: "1Gi" }) });
    const { status, body } = await resize(sized(requests));
    expect(status).toBe(403);
    expect(body.message).toBe(
      `pods "p" is forbidden: Node didn't have enough allocatable resources: ${text}`,
    );
    expect(body.details.causes).toEqual([{ reason: "NodeCapacity" }]);
  });

  it("refuses a resize on nodes that are not Linux or do not exist", async () => {
    const windows = await serverWithNode({ os: "windows" });
    await windows.create("p", { nodeName: "n", ...sized({ cpu: "1" }) });
    const { body } = await windows.resize(sized({ cpu: "2" }));
    expect(body.message).toContain('pod resize is only supported on linux nodes, node "n" is "windows"');
    expect(body.details.causes).toEqual([{ reason: "UnsupportedPlatform" }]);
    const elsewhere = await serverWithNode({ name: "other" });
    await elsewhere.create("p", { nodeName: "n", ...sized({ cpu: "1" }) });
    expect((await elsewhere.resize(sized({ cpu: "2" }))).body.message).toContain('node "n" not found');
  });

  it("ignores a resize without a change, and pods without a node", async () => {
    const { create, resize } = await serverWithNode({ name: "other" });
    await create("p", sized({ cpu: "1" }));
    expect((await resize(sized({ cpu: "50" }))).status).toBe(200);
    const same = await serverWithNode({ name: "other" });
    await same.create("p", { nodeName: "n", ...sized({ cpu: "1" }) });
    expect((await same.resize(sized({ cpu: "1" }))).status).toBe(200);
  });
});

describe("NodeDeclaredFeatureValidator", () => {
  const refusal = (feature: string) =>
    `pods "p" is forbidden: pod update requires features ${feature} which are not available on node "n"`;

  it("refuses to change the cpu of Guaranteed pods on nodes without the feature", async () => {
    const { create, resize } = await serverWithNode({ features: [] });
    await create("p", { nodeName: "n", ...guaranteed("1") });
    const { status, body } = await resize(guaranteed("2"));
    expect(status).toBe(403);
    expect(body.message).toBe(refusal("GuaranteedQoSPodCPUResize"));
  });

  it("refuses to change pod-level resources on nodes without the feature", async () => {
    const { create, resize } = await serverWithNode({ features: ["GuaranteedQoSPodCPUResize"] });
    await create("p", { nodeName: "n", resources: { requests: { cpu: "1" } } });
    const { body } = await resize({ resources: { requests: { cpu: "2" } } });
    expect(body.message).toBe(refusal("InPlacePodLevelResourcesVerticalScaling"));
    expect((await resize({ resources: { requests: { cpu: "1000m" } } })).status).toBe(200);
  });

  it("allows other resizes on nodes without the features", async () => {
    const { create, resize, patch } = await serverWithNode({ features: [] });
    await create("p", { nodeName: "n", ...sized({ cpu: "1" }) });
    expect((await resize(sized({ cpu: "2" }))).status).toBe(200);
    const seconds = { spec: { activeDeadlineSeconds: 5 } };
    expect((await patch(`${podsPath}/p`, seconds)).body.metadata.generation).toBe(3);
  });

  it("allows the resizes on a node that declares the features", async () => {
    const { create, resize } = await serverWithNode();
    await create("p", { nodeName: "n", ...guaranteed("1") });
    expect((await resize(guaranteed("2"))).status).toBe(200);
  });
});
