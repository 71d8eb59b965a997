import type { Job } from "@kubewright/api";
import { expect, test } from "vitest";
import { rememberRuns } from "./run-memory.js";
import { cronTabLabel, missedAnnotation, scheduledAnnotation, stateOf } from "./runs.js";

const owner = (uid: string) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  name: "tick",
  uid,
  controller: true,
});
const run = (name: string, uid: string, more: object = {}): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: {
    name,
    namespace: "default",
    uid: `uid-of-${name}`,
    resourceVersion: "7",
    generation: 1,
    labels: { [cronTabLabel]: "tick" },
    annotations: { [scheduledAnnotation]: "2026-01-01T00:01:00Z", [missedAnnotation]: "2", other: "x" },
    ownerReferences: [owner(uid)],
    ...more,
  },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "run", image: "busybox" }] } } },
});
const ended = (type: string, status = "True"): Job["status"] => ({
  active: 0,
  startTime: "2026-01-01T00:01:00Z",
  completionTime: "2026-01-01T00:01:09Z",
  conditions: [
    { type: "SuccessCriteriaMet", status: "True" },
    { type, status, message: "long" },
  ],
});

test("of a run that is looked at is kept, and nothing else", () => {
  const remember = rememberRuns();
  expect(remember({ ...run("a-1", "a"), status: ended("Complete") })).toEqual({
    metadata: {
      name: "a-1",
      namespace: "default",
      uid: "uid-of-a-1",
      resourceVersion: "7",
      labels: { [cronTabLabel]: "tick" },
      annotations: { [scheduledAnnotation]: "2026-01-01T00:01:00Z", [missedAnnotation]: "2" },
      ownerReferences: [owner("a")],
    },
    status: {
      conditions: [{ type: "Complete", status: "True" }],
      completionTime: "2026-01-01T00:01:09Z",
    },
  });
  expect(remember({})).toEqual({ metadata: { annotations: { [scheduledAnnotation]: "" } } });
});

test.each([
  [undefined, "active"],
  [ended("Suspended"), "active"],
  [ended("Complete", "False"), "active"],
  [ended("Complete"), "succeeded"],
  [ended("Failed"), "failed"],
] as const)("how a run stands is the same as before: %o", (status, state) => {
  const job = { ...run("a-1", "a"), status };
  expect([stateOf(job), stateOf(rememberRuns()(job))]).toEqual([state, state]);
});

test("what runs of a CronTab have in common is there once, while it is the same", () => {
  const remember = rememberRuns();
  const [first, second, other, changed, again] = [
    run("a-1", "a"),
    run("a-2", "a"),
    run("b-1", "b"),
    run("a-3", "a", { labels: { [cronTabLabel]: "tick", more: "yes" } }),
    run("a-4", "a", { labels: { [cronTabLabel]: "tick", more: "yes" } }),
  ].map((job) => remember(job).metadata);
  expect(second?.ownerReferences).toBe(first?.ownerReferences);
  expect(second?.labels).toBe(first?.labels);
  expect(Object.isFrozen(first?.ownerReferences?.[0])).toBe(true);
  expect(other?.ownerReferences).toEqual([owner("b")]);
  expect(changed?.labels).toEqual({ [cronTabLabel]: "tick", more: "yes" });
  expect(again?.labels).toBe(changed?.labels);
});

test("of CronTabs that come and go, only so many are known", () => {
  const remember = rememberRuns();
  const first = remember(run("a-1", "a"));
  for (let index = 0; index < 10_000; index++) remember(run("b-1", `b-${index}`));
  expect(remember(run("a-2", "a")).metadata?.labels).toBe(first.metadata?.labels);
  for (let index = 0; index < 40_000; index++) remember(run("c-1", `c-${index}`));
  expect(remember(run("a-3", "a")).metadata?.labels).not.toBe(first.metadata?.labels);
});
