import { describe, expect, it } from "vitest";
import { selector, template, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("apps/v1", "DaemonSet", "daemonsets");
const shared = server();
const valid = { selector, template: template() };
const generation = "deprecated.daemonset.template.generation";

describe("DaemonSet", () => {
  it("gets the defaults of Kubernetes", async () => {
    const { attempt } = await shared;
    const { body } = await attempt({ spec: valid });
    expect(body.spec).toMatchObject({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
  });

  it("counts changes of its template in the template generation annotation", async () => {
    const { create, patch, path } = await server();
    expect((await create("d", { spec: valid })).metadata.annotations).toEqual({ [generation]: "1" });
    const annotations = async (change: object) =>
      (await patch(`${path}/d`, change)).body.metadata.annotations;
    expect(await annotations({ spec: { minReadySeconds: 1 } })).toEqual({ [generation]: "1" });
    expect(await annotations({ spec: { template: template({ hostNetwork: true }) } })).toEqual({
      [generation]: "2",
    });
    expect(await annotations({ metadata: { annotations: { [generation]: "9" } } })).toEqual({
      [generation]: "2",
    });
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    [
      "nothing",
      {},
      [
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
        "spec.template.spec.containers: Required value",
      ],
    ],
    [
      "both ways to roll",
      { ...valid, updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
      [
        "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
      ],
    ],
    [
      "no way to roll",
      { ...valid, updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
    ],
    [
      "pods that end",
      { selector, template: template({ restartPolicy: "OnFailure" }) },
      ['spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"'],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await shared;
    expect(await wrong({ spec })).toEqual(causes);
  });

  it("refuses another selector, and negative numbers in its status", async () => {
    const { create, refused } = await server();
    await create("d", { spec: valid });
    const matchLabels = { app: "a", b: "c" };
    expect(
      await refused("d", {
        spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } },
      }),
    ).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"a","b":"c"}}: field is immutable']);
    expect(await refused("d", { status: { numberReady: -1 } }, "/status")).toEqual([
      "status.numberReady: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});
