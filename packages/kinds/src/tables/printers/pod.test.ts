import { describe, expect, it } from "vitest";
import { age, cellsOf, created, rowOf } from "./fixtures/row.js";

describe("the table row of a pod", () => {
  const container = (name: string) => ({ name, image: "i" });
  const status = (name: string, state: object, more: object = {}) => ({
    name,
    image: "i",
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
    ...more,
  });
  const running = { running: { startedAt: created } };
  const podCells = (spec: object, podStatus: object, metadata: object = {}) =>
    cellsOf("v1", "Pod", { metadata, spec: { containers: [container("c")], ...spec }, status: podStatus });

  it.each<[string, object, object, object, string, string]>([
    ["not started", {}, { phase: "Pending" }, {}, "0/1", "Pending"],
    [
      "running",
      {},
      { phase: "Running", containerStatuses: [status("c", running, { ready: true })] },
      {},
      "1/1",
      "Running",
    ],
    ["evicted", {}, { phase: "Failed", reason: "Evicted" }, {}, "0/1", "Evicted"],
    [
      "gated",
      {},
      {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
      },
      {},
      "0/1",
      "SchedulingGated",
    ],
    [
      "waiting",
      {},
      { phase: "Pending", containerStatuses: [status("c", { waiting: { reason: "ImagePullBackOff" } })] },
      {},
      "0/1",
      "ImagePullBackOff",
    ],
    [
      "exited",
      {},
      { phase: "Failed", containerStatuses: [status("c", { terminated: { exitCode: 3 } })] },
      {},
      "0/1",
      "ExitCode:3",
    ],
    [
      "killed",
      {},
      { phase: "Failed", containerStatuses: [status("c", { terminated: { exitCode: 137, signal: 9 } })] },
      {},
      "0/1",
      "Signal:9",
    ],
    ["deleted", {}, { phase: "Running" }, { deletionTimestamp: created }, "0/1", "Terminating"],
    ["deleted when done", {}, { phase: "Succeeded" }, { deletionTimestamp: created }, "0/1", "Succeeded"],
    [
      "on a lost node",
      {},
      { phase: "Running", reason: "NodeLost" },
      { deletionTimestamp: created },
      "0/1",
      "Unknown",
    ],
    [
      "initializing",
      { initContainers: [container("i"), container("j")] },
      {
        phase: "Pending",
        initContainerStatuses: [status("i", { terminated: { exitCode: 0 } }), status("j", running)],
      },
      {},
      "0/1",
      "Init:1/2",
    ],
    [
      "failing to initialize",
      { initContainers: [container("i")] },
      { phase: "Pending", initContainerStatuses: [status("i", { waiting: { reason: "CrashLoopBackOff" } })] },
      {},
      "0/1",
      "Init:CrashLoopBackOff",
    ],
    [
      "failed to initialize",
      { initContainers: [container("i")] },
      {
        phase: "Pending",
        initContainerStatuses: [status("i", { terminated: { exitCode: 2, reason: "Error" } })],
      },
      {},
      "0/1",
      "Init:Error",
    ],
    [
      "with a sidecar",
      { initContainers: [{ ...container("s"), restartPolicy: "Always" }] },
      {
        phase: "Running",
        initContainerStatuses: [status("s", running, { started: true, ready: true })],
        containerStatuses: [status("c", running, { ready: true })],
      },
      {},
      "2/2",
      "Running",
    ],
    [
      "done here, failed there",
      { containers: [container("c"), container("d")] },
      {
        phase: "Running",
        containerStatuses: [
          status("c", { terminated: { exitCode: 0, reason: "Completed" } }),
          status("d", { terminated: { exitCode: 1, reason: "Error" } }),
        ],
      },
      {},
      "0/2",
      "Error",
    ],
    [
      "half done",
      { containers: [container("c"), container("d")] },
      {
        phase: "Running",
        containerStatuses: [
          status("c", { terminated: { exitCode: 0, reason: "Completed" } }),
          status("d", running, { ready: true }),
        ],
      },
      {},
      "1/2",
      "NotReady",
    ],
  ])("%s", (_what, spec, podStatus, metadata, ready, reason) => {
    const [, readyCell, reasonCell] = podCells(spec, podStatus, metadata);
    expect([readyCell, reasonCell]).toEqual([ready, reason]);
  });

  it("shows when it last restarted", () => {
    const last = { lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:55:00Z" } } };
    expect(podCells({}, { containerStatuses: [status("c", running, { restartCount: 3, ...last })] })[3]).toBe(
      "3 (5m ago)",
    );
    expect(podCells({}, {})[3]).toBe("0");
  });

  it("shows its IP, node and readiness gates with -o wide", () => {
    const cells = podCells(
      { nodeName: "n1", readinessGates: [{ conditionType: "g" }, { conditionType: "h" }] },
      { podIPs: [{ ip: "10.0.0.1" }], conditions: [{ type: "g", status: "True" }] },
    );
    expect(cells.slice(4)).toEqual([age, "10.0.0.1", "n1", "<none>", "1/2"]);
  });

  it("has the condition Completed once the pod succeeded", () => {
    expect(
      rowOf("v1", "Pod", { spec: { containers: [] }, status: { phase: "Succeeded" } }).conditions,
    ).toEqual([
      {
        type: "Completed",
        status: "True",
        reason: "Succeeded",
        message: "The pod has completed successfully.",
      },
    ]);
  });
});
