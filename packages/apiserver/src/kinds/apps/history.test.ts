import { describe, expect, it } from "vitest";
import { template, workloadServer } from "../fixtures/workload-server.js";

describe("ControllerRevision", () => {
  const server = () => workloadServer("apps/v1", "ControllerRevision", "controllerrevisions");

  it("needs data, and a revision that is not negative", async () => {
    const { wrong } = await server();
    expect(await wrong({ revision: -1 })).toEqual([
      "data: Required value: data is mandatory",
      "revision: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });

  it("may be renumbered, not rewritten", async () => {
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

  it("is completed like the templates of workloads, and counts its changes", async () => {
    const { create, patch, path } = await server();
    const created = await create("t", { template: template() });
    expect(created).toMatchObject({
      metadata: { generation: 1 },
      template: { spec: { restartPolicy: "Always" } },
    });
    const { body } = await patch(`${path}/t`, { template: { spec: { restartPolicy: "Never" } } });
    expect(body.metadata.generation).toBe(2);
  });

  it("is validated like them", async () => {
    const { wrong } = await server();
    expect(await wrong({ template: template({ containers: [] }) })).toEqual([
      "template.spec.containers: Required value",
    ]);
  });
});
