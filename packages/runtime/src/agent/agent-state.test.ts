import type { ContainerState, ContainerStatus, Pod } from "@kubewright/api";
import { z } from "@kubewright/schema";
import { describe, expect, test } from "vitest";
import { agentPod, agentTask } from "./agent-pod.js";
import { type AgentState, agentEnd, agentState } from "./agent-state.js";

const report = z.object({ size: z.number() });
const created = "2026-01-01T00:00:00Z";
const startTime = "2026-01-01T00:00:05Z";
const soon = Date.parse(created) + 10_000;

const podOf = (status: Pod["status"], metadata: Pod["metadata"] = {}): Pod => ({
  metadata: { name: "one-agent", creationTimestamp: startTime, ...metadata },
  spec: agentPod({ image: "operator:1", task: { file: "a" }, timeoutSeconds: 60 }),
  status,
});
const agentStatus = (state: ContainerState): ContainerStatus => ({
  name: "agent",
  image: "operator:1",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
});
const ended = (phase: "Succeeded" | "Failed", message?: string): Pod =>
  podOf({
    phase,
    containerStatuses: [agentStatus({ terminated: { exitCode: 0, message } })],
  });

describe("the state of an agent", () => {
  const stateOf = (
    pod: Pod | undefined,
    { now = soon, isStarted = false, waitsFor = undefined as string | undefined } = {},
  ): AgentState<unknown> =>
    agentState(pod, pod && agentEnd(pod, report), {
      owner: { metadata: { creationTimestamp: created } },
      now,
      timeoutSeconds: 60,
      isStarted,
      waitsFor,
    });
  const late = { now: Date.parse(created) + 61_000 };
  const pulling = podOf({
    phase: "Pending",
    containerStatuses: [agentStatus({ waiting: { reason: "ImagePullBackOff" } })],
  });
  const failed = (message: unknown, isLost: boolean) => ({ kind: "failed", message, isLost });

  test.each<[string, AgentState<unknown>, object]>([
    ["has no pod at first", stateOf(undefined), { kind: "none" }],
    ["runs with its pod", stateOf(podOf({ phase: "Running" })), { kind: "running", startTime }],
    [
      "succeeds with its report",
      stateOf(ended("Succeeded", '{"size":3,"more":1}')),
      { kind: "succeeded", report: { size: 3 }, startTime },
    ],
    [
      "succeeds after its time",
      stateOf(ended("Succeeded", '{"size":3}'), late),
      { kind: "succeeded", report: { size: 3 }, startTime },
    ],
    [
      "fails without a report",
      stateOf(ended("Succeeded")),
      failed("its pod ended well and reported nothing", true),
    ],
    [
      "fails with a report of another shape",
      stateOf(ended("Succeeded", '{"size":"3"}')),
      failed("its pod ended well and reported nothing", true),
    ],
    ["fails with the error it reports", stateOf(ended("Failed", '{"error":"no"}')), failed("no", false)],
    ["is lost with a message of no report", stateOf(ended("Failed", "killed")), failed("killed", true)],
    ["is lost without a message", stateOf(ended("Failed")), failed("its pod failed; see its log", true)],
    [
      "is lost with the kubelet's message",
      stateOf(podOf({ phase: "Failed", message: "Pod was active on the node longer than the deadline" })),
      failed(expect.stringContaining("deadline"), true),
    ],
    ["is late before it has a pod", stateOf(undefined, late), failed("it took longer than 60 s", false)],
    [
      "is late with what it waited for",
      stateOf(undefined, { ...late, waitsFor: "there is no Secret a" }),
      failed("it took longer than 60 s: there is no Secret a", false),
    ],
    [
      "is late with the problem of its pod",
      stateOf(pulling, late),
      failed(expect.stringMatching(/^it took longer than 60 s: image operator:1 .* cannot be pulled/), true),
    ],
    [
      "is lost with a pod that was recorded",
      stateOf(undefined, { isStarted: true }),
      failed("its pod is gone", true),
    ],
    [
      "is lost with a pod that is being deleted",
      stateOf(podOf({ phase: "Running" }, { deletionTimestamp: created })),
      failed("its pod is gone", true),
    ],
  ])("%s", (_, state, expected) => {
    expect(state).toEqual(expected);
  });
});

test("an agent's pod is not root, and its volumes belong to its group", () => {
  const ids = { runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 };
  expect(podOf({}).spec?.securityContext).toMatchObject(ids);
});

test("an agent's pod has its task, and other pods have none", () => {
  expect(agentTask(podOf({}))).toEqual({ file: "a" });
  expect(agentTask({ spec: { containers: [{ name: "other" }] } })).toBeUndefined();
});
