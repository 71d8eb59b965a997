import { describe, expect, it } from "vitest";
import { labels, template, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("v1", "ReplicationController", "replicationcontrollers");

describe("ReplicationController", () => {
  it("selector and labels default to the labels of the pod template", async () => {
    const { attempt } = await server();
    const { body } = await attempt({ spec: { template: template() } });
    expect(body).toMatchObject({ metadata: { labels }, spec: { replicas: 1, selector: labels } });
    const own = await attempt({ spec: { template: template() } }, { labels: { own: "1" } });
    expect(own.body.metadata.labels).toEqual({ own: "1" });
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    ["nothing", {}, ["spec.selector: Required value", "spec.template: Required value"]],
    [
      "a selector of other pods",
      { selector: { app: "b" }, template: template() },
      [
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "pods that end",
      { template: template({ restartPolicy: "Never" }) },
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await server();
    expect(await wrong({ spec })).toEqual(causes);
  });

  it("accepts another selector", async () => {
    const { create, patch, path } = await server();
    await create("r", { spec: { template: template() } });
    const changed = { ...labels, b: "c" };
    const { status } = await patch(`${path}/r`, {
      spec: { selector: changed, template: { metadata: { labels: changed } } },
    });
    expect(status).toBe(200);
  });
});
