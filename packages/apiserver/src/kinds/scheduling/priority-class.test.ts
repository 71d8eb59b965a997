import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
const priorityClass = (rest: object, name = "c") => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  ...rest,
});

describe("PriorityClass", () => {
  it.each([
    [{ value: 1_000_000_001 }, "c", ["value"]],
    [{ value: 1_000_000_000 }, "c", []],
    [{ value: 1 }, "system-mine", ["metadata.name"]],
    [{ value: 1, preemptionPolicy: "Maybe" }, "c", ["preemptionPolicy"]],
  ])("validates %j named %s: errors at %j", async (rest, name, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, priorityClass(rest, name)))).toEqual(expected);
  });

  it("refuses another value or preemptionPolicy", async () => {
    const { call, patch, fields } = await kindServer();
    const { body } = await call("POST", path, priorityClass({ value: 1 }));
    expect(body).toMatchObject({ preemptionPolicy: "PreemptLowerPriority", metadata: { generation: 1 } });
    expect(fields(await patch(`${path}/c`, { value: 2, preemptionPolicy: "Never" }))).toEqual([
      "value",
      "preemptionPolicy",
    ]);
  });

  it("of the system exists from the start, and cannot be deleted", async () => {
    const { call } = await kindServer();
    const { items } = (await call("GET", path)).body;
    expect(items.map(({ value }: { value: number }) => value)).toEqual([2_000_000_000, 2_000_001_000]);
    const { status, body } = await call("DELETE", `${path}/system-node-critical`);
    expect([status, body.message]).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    ]);
  });
});
