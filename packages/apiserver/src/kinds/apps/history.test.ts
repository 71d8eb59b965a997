import { describe, expect, it } from "vitest";
import { template, workloadServer } from "../fixtures/workload-server.js";

describe("ControllerRevision", () => {
  const server = () => workloadServer("apps/v1", "ControllerRevision", "controllerrevisions");

  it("requires data, and a revision that is not negative", async () => {
    const { wrong } = await server();
    expect(await wrong({ revision: -1 })).toEqual([
      "revision: Invalid value: -1: must be greater than or equal to 0",
      "data: Required value: data is mandatory",
    ]);
    expect(await wrong({ data: [] })).toEqual(["data: Required value: data must be a valid JSON object"]);
  });

  it("accepts another revision number, and refuses other data", async () => {
    const { create, patch, path, refused } = await server();
    await create("r", { data: { a: 1 }, revision: 1 });
    expect((await patch(`${path}/r`, { revision: 2 })).body.revision).toBe(2);
    expect(await refused("r", { data: { a: 2 } })).toEqual([
      expect.stringMatching(/^data: Invalid value: .*: field is immutable$/),
    ]);
  });
});

describe("PodTemplate", () => {
  const server = () => workloadServer("v1", "PodTemplate", "podtemplates");

  it("gets the defaults of pod templates, and counts its changes in generation", async () => {
    const { create, patch, path } = await server();
    const created = await create("t", { template: template() });
    expect(created).toMatchObject({
      metadata: { generation: 1 },
      template: { spec: { restartPolicy: "Always" } },
    });
    const { body } = await patch(`${path}/t`, { template: { spec: { restartPolicy: "Never" } } });
    expect(body.metadata.generation).toBe(2);
  });

  it("is validated as the pod templates of workloads", async () => {
    const { wrong } = await server();
    expect(await wrong({ template: template({ containers: [] }) })).toEqual([
      "template.spec.containers: Required value",
    ]);
  });
});
