import type { Pod, StatefulSet, StatefulSetSpec } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { nextSteps } from "./next-step.js";

const set = (spec: Partial<StatefulSetSpec>): StatefulSet => ({
  metadata: { name: "db", uid: "1" },
  spec: { serviceName: "db", selector: {}, template: {}, ...spec },
});

const pod = (ordinal: number, { revision = "old", ready = true, terminating = false } = {}): Pod => ({
  metadata: {
    name: `db-${ordinal}`,
    labels: { "controller-revision-hash": revision },
    ...(terminating ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  },
  spec: { containers: [] },
  status: {
    phase: ready ? "Running" : "Pending",
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
  },
});

const stepsOf = (of: StatefulSet, pods: readonly Pod[]): readonly string[] =>
  nextSteps({ set: of, pods, updateRevision: "new", now: Date.UTC(2026, 0, 1) }).map((step) =>
    step.does === "create" ? `create db-${step.ordinal}` : `delete ${step.pod.metadata?.name}`,
  );

const rolling = (rollingUpdate: object) => ({ type: "RollingUpdate", rollingUpdate }) as const;
const all = [pod(0), pod(1), pod(2), pod(3)];

describe("StatefulSet update", () => {
  it.each([
    { takes: "one pod at a time, the last first", by: {}, pods: all, steps: ["delete db-3"] },
    {
      takes: "as many as may be missing",
      by: { maxUnavailable: 2 },
      pods: all,
      steps: ["delete db-3", "delete db-2"],
    },
    {
      takes: "a share, rounded down",
      by: { maxUnavailable: "60%" },
      pods: all,
      steps: ["delete db-3", "delete db-2"],
    },
    {
      takes: "at least one of a small share",
      by: { maxUnavailable: "10%" },
      pods: all,
      steps: ["delete db-3"],
    },
    { takes: "none below the partition", by: { partition: 4 }, pods: all, steps: [] },
    {
      takes: "those that are left above the partition",
      by: { partition: 2, maxUnavailable: 3 },
      pods: [pod(0), pod(1), pod(2), pod(3, { revision: "new" })],
      steps: ["delete db-2"],
    },
  ])("takes $takes", ({ by, pods, steps }) => {
    expect(stepsOf(set({ replicas: 4, updateStrategy: rolling(by) }), pods)).toEqual(steps);
  });

  it("counts unavailable pods with podManagementPolicy Parallel", () => {
    const parallel = set({
      replicas: 4,
      podManagementPolicy: "Parallel",
      updateStrategy: rolling({ maxUnavailable: 2 }),
    });
    const pods = [pod(0), pod(1), pod(2), pod(3, { revision: "new", ready: false })];
    expect(stepsOf(parallel, pods)).toEqual(["delete db-2"]);
  });

  it("waits for a terminating pod with podManagementPolicy OrderedReady", () => {
    const ordered = set({ replicas: 4, updateStrategy: rolling({}) });
    expect(stepsOf(ordered, [...all.slice(0, 3), pod(3, { terminating: true })])).toEqual([]);
  });

  it("deletes no pod with updateStrategy OnDelete", () => {
    expect(stepsOf(set({ replicas: 4, updateStrategy: { type: "OnDelete" } }), all)).toEqual([]);
  });
});

describe("StatefulSet scaling", () => {
  it.each([
    {
      does: "adds the next one in order",
      replicas: 4,
      policy: undefined,
      pods: all.slice(0, 2),
      steps: ["create db-2"],
    },
    {
      does: "adds all in parallel",
      replicas: 4,
      policy: "Parallel" as const,
      pods: all.slice(0, 2),
      steps: ["create db-2", "create db-3"],
    },
    { does: "takes the last in order", replicas: 2, policy: undefined, pods: all, steps: ["delete db-3"] },
    {
      does: "takes all in parallel",
      replicas: 2,
      policy: "Parallel" as const,
      pods: all,
      steps: ["delete db-3", "delete db-2"],
    },
    {
      does: "waits for one that is not ready",
      replicas: 4,
      policy: undefined,
      pods: [pod(0, { ready: false })],
      steps: [],
    },
  ])("$does", ({ replicas, policy, pods, steps }) => {
    expect(stepsOf(set({ replicas, ...(policy ? { podManagementPolicy: policy } : {}) }), pods)).toEqual(
      steps,
    );
  });
});
