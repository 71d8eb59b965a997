import type { Job, JobSpec, Pod, PodFailurePolicyRule, SuccessPolicyRule } from "@kubewright/api";
import { expect, test } from "vitest";
import { finishedCondition } from "./finished-condition.js";
import { backoffLeft, noFailures, recordEnds } from "./job-backoff.js";
import { countPods, settleCounts } from "./job-count.js";
import { jobPlan } from "./job-plan.js";
import { trackingFinalizer } from "./job-pods.js";
import { jobProgress } from "./job-progress.js";
import { judgeFailure } from "./pod-failure-policy.js";
import { metSuccessRule } from "./success-policy.js";

const template = { spec: { containers: [] } };
const job = (spec: Partial<JobSpec>, status: Job["status"] = {}): Job => ({
  metadata: { name: "j", namespace: "n" },
  spec: { backoffLimit: 6, parallelism: 1, template, ...spec },
  status,
});

interface PodTraits {
  readonly phase?: NonNullable<Pod["status"]>["phase"];
  readonly index?: number;
  readonly failures?: number;
  readonly exitCode?: number;
  readonly condition?: string;
  readonly isTerminating?: boolean;
  readonly end?: number;
}

let serial = 0;
function pod({
  phase = "Failed",
  index,
  failures,
  exitCode,
  condition,
  isTerminating,
  end = 0,
}: PodTraits): Pod {
  const uid = `pod-${++serial}`;
  const annotations = {
    ...(index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": String(index) }),
    ...(failures === undefined ? {} : { "batch.kubernetes.io/job-index-failure-count": String(failures) }),
  };
  const terminated = { exitCode: exitCode ?? 1, finishedAt: new Date(end).toISOString() };
  const isOver = phase === "Failed" || phase === "Succeeded";
  return {
    metadata: {
      name: uid,
      namespace: "n",
      uid,
      annotations,
      finalizers: [trackingFinalizer],
      ...(isTerminating ? { deletionTimestamp: new Date(end).toISOString() } : {}),
    },
    spec: { containers: [] },
    status: {
      phase,
      conditions: condition ? [{ type: condition, status: "True" }] : [],
      containerStatuses: isOver
        ? [{ name: "main", image: "", imageID: "", ready: false, restartCount: 0, state: { terminated } }]
        : [],
    },
  };
}

test.each<[string, PodFailurePolicyRule, PodTraits, string]>([
  ["In", { action: "FailJob", onExitCodes: { operator: "In", values: [42] } }, { exitCode: 42 }, "FailJob"],
  ["In, other code", { action: "FailJob", onExitCodes: { operator: "In", values: [42] } }, {}, "Count"],
  ["NotIn", { action: "Ignore", onExitCodes: { operator: "NotIn", values: [42] } }, {}, "Ignore"],
  [
    "another container",
    { action: "Ignore", onExitCodes: { containerName: "side", operator: "In", values: [1] } },
    {},
    "Count",
  ],
  [
    "a condition",
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    { condition: "DisruptionTarget" },
    "Ignore",
  ],
  [
    "a condition it lacks",
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    {},
    "Count",
  ],
])("Job: a pod failure policy rule of %s", (_name, rule, traits, action) => {
  expect(judgeFailure(job({ podFailurePolicy: { rules: [rule] } }), pod(traits)).action).toBe(action);
});

test("Job: a FailJob failure names container, pod and rule", () => {
  const rules: PodFailurePolicyRule[] = [
    { action: "Count", onExitCodes: { operator: "In", values: [1] } },
    { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
  ];
  const failed = pod({ exitCode: 42 });
  expect(judgeFailure(job({ podFailurePolicy: { rules } }), failed).message).toBe(
    `Container main for pod n/${failed.metadata?.name} failed with exit code 42 matching FailJob rule at index 1`,
  );
});

test.each<[SuccessPolicyRule, number[], boolean]>([
  [{ succeededIndexes: "0-2" }, [0, 1], false],
  [{ succeededIndexes: "0-2" }, [0, 1, 2], true],
  [{ succeededIndexes: "0-2", succeededCount: 1 }, [1], true],
  [{ succeededIndexes: "0-2", succeededCount: 1 }, [4], false],
  [{ succeededCount: 2 }, [4], false],
  [{ succeededCount: 2 }, [3, 4], true],
])("Job: success policy rule %j with completed indexes %j is met: %s", (rule, completed, isMet) => {
  const subject = job({ completionMode: "Indexed", completions: 5, successPolicy: { rules: [rule] } });
  expect(metSuccessRule(subject, new Set(completed))).toBe(isMet ? "Matched rules at index 0" : undefined);
});

test("Job: the backoff doubles from ten seconds to ten minutes, and a success resets it", () => {
  let record = noFailures;
  const pauses: number[] = [];
  for (let round = 0; round < 8; round++) {
    record = recordEnds(record, [], [pod({ end: 0 })], 0);
    pauses.push(backoffLeft(record, 0) / 1000);
  }
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
  expect(backoffLeft(record, 600_000)).toBe(0);
  expect(recordEnds(record, [pod({ phase: "Succeeded", end: 5 })], [pod({ end: 3 })], 9)).toBe(noFailures);
  expect(recordEnds(record, [pod({ phase: "Succeeded", end: 5 })], [pod({ end: 7 })], 9)).toEqual({
    failures: 1,
    lastFailure: 7,
  });
});

const perIndex = (spec: Partial<JobSpec> = {}) =>
  job({ completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 1, ...spec });

test.each<[string, Job, PodTraits[], string | undefined]>([
  ["an index with failures left", perIndex(), [{ index: 0, failures: 0 }], undefined],
  [
    "every index settled, one of them failed",
    perIndex(),
    [
      { index: 0, failures: 1 },
      { index: 1, phase: "Succeeded" },
      { index: 2, phase: "Succeeded" },
    ],
    "FailedIndexes",
  ],
  [
    "more failed indexes than allowed",
    perIndex({ maxFailedIndexes: 0 }),
    [{ index: 0, failures: 1 }],
    "MaxFailedIndexesExceeded",
  ],
  [
    "an index given up by a rule",
    perIndex({
      maxFailedIndexes: 0,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [7] } }] },
    }),
    [{ index: 0, failures: 0, exitCode: 7 }],
    "MaxFailedIndexesExceeded",
  ],
  ["as many failures as allowed", job({ backoffLimit: 1 }), [{}], undefined],
  ["one failure too many", job({ backoffLimit: 1 }), [{}, {}], "BackoffLimitExceeded"],
  [
    "failures that do not count",
    job({
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }] },
    }),
    [{}, {}],
    undefined,
  ],
  [
    "a pod deleted while it ran",
    job({ backoffLimit: 0 }),
    [{ phase: "Running", isTerminating: true }],
    "BackoffLimitExceeded",
  ],
  [
    "a pod deleted while it ran, of a Job that waits for its end",
    job({ backoffLimit: 0, podReplacementPolicy: "Failed" }),
    [{ phase: "Running", isTerminating: true }],
    undefined,
  ],
])("Job: the finished condition with %s", (_name, subject, traits, reason) => {
  expect(finishedCondition(subject, jobProgress(subject, traits.map(pod), 0), 0)?.reason).toBe(reason);
});

test("Job: a terminating pod is replaced at once, or when it has ended, by podReplacementPolicy", () => {
  const pods = [pod({ phase: "Running", isTerminating: true })];
  const plan = (spec: Partial<JobSpec>) => {
    const subject = job({ completions: 1, ...spec });
    return jobPlan(subject, jobProgress(subject, pods, 0), noFailures, 0).create.length;
  };
  expect(plan({ podReplacementPolicy: "TerminatingOrFailed" })).toBe(1);
  expect(plan({ podReplacementPolicy: "Failed" })).toBe(0);
});

test("Job: deletes the less useful of two pods with one index, and pods without a valid index", () => {
  const subject = job({ completionMode: "Indexed", completions: 3, parallelism: 3 });
  const pods = [
    pod({ phase: "Running", index: 0 }),
    pod({ phase: "Pending", index: 0 }),
    pod({ phase: "Running", index: 7 }),
    pod({ phase: "Running", index: 1 }),
  ];
  const { delete: doomed, create } = jobPlan(subject, jobProgress(subject, pods, 0), noFailures, 0);
  expect(new Set(doomed)).toEqual(new Set([pods[1], pods[2]]));
  expect(create).toEqual([]);
});

test("Job: indexes back off independently, and the next pod inherits the failure count", () => {
  const subject = perIndex();
  const pods = [pod({ index: 0, failures: 0, end: 0 }), pod({ index: 1, phase: "Running" })];
  const progress = jobProgress(subject, pods, 1000);
  expect(jobPlan(subject, progress, noFailures, 1000)).toEqual({
    create: [{ index: 2, replaced: undefined }],
    delete: [],
    wait: 9000,
  });
  expect(countPods(subject, progress, undefined).release).toEqual([]);
  expect(jobPlan(subject, progress, noFailures, 10_000).create[0]).toEqual({ index: 0, replaced: pods[0] });
});

test("Job: uncounted pods are counted once their finalizer is removed, also after a restart", () => {
  const subject = job({ completions: 4, parallelism: 4 });
  const pods = [pod({ phase: "Succeeded" }), pod({}), pod({ phase: "Running" })];
  const uids = pods.map(({ metadata }) => metadata?.uid ?? "");
  const count = countPods(subject, jobProgress(subject, pods, 0), undefined);
  expect(count.uncounted).toEqual({ succeeded: [uids[0]], failed: [uids[1]] });
  expect(count.release).toEqual(pods.slice(0, 2));
  const noted = { ...subject, status: { uncountedTerminatedPods: count.uncounted } };
  const again = jobProgress(noted, pods, 0);
  expect([again.succeeded, again.failed]).toEqual([1, 1]);
  expect(countPods(noted, again, undefined).uncounted).toEqual(count.uncounted);
  expect(settleCounts(noted.status, new Set([uids[1] ?? ""]))).toEqual({
    succeeded: 1,
    uncountedTerminatedPods: { failed: [uids[1]] },
  });
});

test("Job: pods that still run when it has failed count as failed", () => {
  const subject = job({ backoffLimit: 0, parallelism: 2 });
  const pods = [pod({}), pod({ phase: "Running" })];
  const progress = jobProgress(subject, pods, 0);
  const count = countPods(subject, progress, finishedCondition(subject, progress, 0));
  expect(count.uncounted.failed).toHaveLength(2);
});
