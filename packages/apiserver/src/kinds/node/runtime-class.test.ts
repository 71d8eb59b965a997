import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/apis/node.k8s.io/v1/runtimeclasses";
const runtimeClass = (rest: object) => ({
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  metadata: { name: "c" },
  handler: "runsc",
  ...rest,
});

describe("RuntimeClass", () => {
  it.each([
    [{ handler: "" }, ["handler"]],
    [{ handler: "A" }, ["handler"]],
    [{ overhead: { podFixed: { cpu: "-1" } } }, ["overhead.limits[cpu]"]],
    [{ scheduling: { nodeSelector: { "a b": "c" } } }, ["scheduling.nodeSelector"]],
    [
      {
        scheduling: {
          tolerations: [
            { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 },
            { key: "a", operator: "Exists", effect: "NoExecute" },
          ],
        },
      },
      ["scheduling.tolerations[1]"],
    ],
  ])("validates %j: errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, runtimeClass(rest)))).toEqual(expected);
  });

  it("reports a missing handler", async () => {
    const { call, causes } = await kindServer();
    expect(causes(await call("POST", path, runtimeClass({ handler: "" })))).toEqual([
      "handler: Required value",
    ]);
  });

  it("refuses another handler", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, runtimeClass({}));
    expect(fields(await patch(`${path}/c`, { handler: "kata" }))).toEqual(["handler"]);
  });
});
