import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { ModelBox } from "../api/v1/model-box.js";
import manager from "../main.js";

const options = { resources: customKindsOf(manager), manager };
const spec = { image: "nginx:1.27", replicas: 1, ports: [{ port: 80 }] };

describe("the webhook of a ModelBox", () => {
  test("fills in defaults of empty fields", async () => {
    await using cluster = await testCluster(options);
    const box = await cluster.create(ModelBox, { name: "web", spec: { ...spec, rollingUpdate: "" } });
    expect(box.spec.rollingUpdate).toBe("25%");
    await cluster.condition(ModelBox, "web", "Available");
  });

  test.each([
    [{ containers: [{ name: "web", image: "a:1" }] }, 'spec.containers[0].name: Duplicate value: "web"'],
    [
      { containers: [{ name: "a", image: "a:1" }], initContainers: [{ name: "a", image: "a:1" }] },
      'spec.initContainers[0].name: Duplicate value: "a"',
    ],
    [
      { resources: { requests: { cpu: "2" }, limits: { cpu: "1500m" } } },
      "spec.resources.requests: Invalid value: requests must not exceed limits",
    ],
  ])("refuses %o", async (wrong, message) => {
    await using cluster = await testCluster(options);
    const refused = cluster.create(ModelBox, { name: "web", spec: { ...spec, ...wrong } as never });
    await expect(refused).rejects.toMatchObject({ code: 422, message: expect.stringContaining(message) });
  });

  test("accepts resource requests that equal their limits", async () => {
    await using cluster = await testCluster(options);
    const resources = { requests: { cpu: "1" }, limits: { cpu: "1000m", memory: "1Gi" } };
    await cluster.create(ModelBox, { name: "web", spec: { ...spec, resources } });
    await cluster.condition(ModelBox, "web", "Available");
  });
});
