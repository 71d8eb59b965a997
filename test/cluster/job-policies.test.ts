import { findCondition, Job, type JobSpec, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { inDefault, job, read, run } from "./one-job.js";
import { VirtualCluster } from "./virtual-cluster.js";

const conditions = ({ status }: Job) => status?.conditions?.map(({ type, reason }) => [type, reason]);

test("a rule on an exit code fails the Job at once", async () => {
  await using cluster = await VirtualCluster.start();
  const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] as const;
  const failed = await run(cluster, job("exit 42", { podFailurePolicy: { rules } }));
  expect(conditions(failed)).toEqual([
    ["FailureTarget", "PodFailurePolicy"],
    ["Failed", "PodFailurePolicy"],
  ]);
  const [pod] = await cluster.pods();
  const message = `Container c for pod default/${pod?.metadata?.name} failed with exit code 42 matching FailJob rule at index 0`;
  expect(findCondition(failed.status?.conditions, "Failed")?.message).toBe(message);
  expect(await cluster.events("Job")).toContain(`PodFailurePolicy: ${message}`);
  expect(pod?.metadata?.finalizers).toBeUndefined();
});

test("an ignored failure is tried again and never counted", async () => {
  await using cluster = await VirtualCluster.start();
  const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [3] } }] as const;
  await run(cluster, job("exit 3", { backoffLimit: 0, podFailurePolicy: { rules } }));
  await cluster.clock.advance(60_000);
  expect((await cluster.pods()).length).toBeGreaterThan(2);
  expect((await read(cluster)).status?.failed).toBeUndefined();
  expect(conditions(await read(cluster))).toBeUndefined();
});

test("indexes fail for themselves, and the Job when the last one is settled", async () => {
  await using cluster = await VirtualCluster.start();
  const failing = job("exit 1", { completions: 2, parallelism: 2, completionMode: "Indexed" });
  await run(cluster, { ...failing, spec: { ...failing.spec!, backoffLimitPerIndex: 1 } });
  expect((await read(cluster)).status).toMatchObject({ failedIndexes: "" });
  await cluster.clock.advance(30_000);
  const over = await read(cluster);
  expect(over.status).toMatchObject({ failed: 4, failedIndexes: "0,1" });
  expect(conditions(over)).toEqual([
    ["FailureTarget", "FailedIndexes"],
    ["Failed", "FailedIndexes"],
  ]);
  const counts = (await cluster.pods()).map(
    ({ metadata }) => metadata?.annotations?.["batch.kubernetes.io/job-index-failure-count"],
  );
  expect(counts.toSorted()).toEqual(["0", "0", "1", "1"]);
});

test("a success policy ends the Job early and its other pods with it", async () => {
  await using cluster = await VirtualCluster.start();
  const spec: Partial<JobSpec> = {
    completions: 3,
    parallelism: 3,
    completionMode: "Indexed",
    successPolicy: { rules: [{ succeededIndexes: "0" }] },
  };
  await run(cluster, job("sleep 1h", spec));
  const leader = (await cluster.pods()).find(({ metadata }) => metadata?.name?.startsWith("j-0-"));
  const status = { ...leader?.status, phase: "Succeeded" as const };
  await cluster.client.update(Pod, { ...leader, status }, { subresource: "status" });
  await cluster.rest();
  await cluster.clock.advance(60_000);
  const over = await read(cluster);
  expect(conditions(over)).toEqual([
    ["SuccessCriteriaMet", "SuccessPolicy"],
    ["Complete", "SuccessPolicy"],
  ]);
  expect(over.status).toMatchObject({ succeeded: 1, completedIndexes: "0", terminating: 0 });
  expect(over.status?.failed).toBeUndefined();
  expect(await cluster.pods()).toHaveLength(1);
});

test("suspending ends the pods without counting them, and is told", async () => {
  await using cluster = await VirtualCluster.start();
  await run(cluster, job("sleep 1h"));
  await cluster.client.patch(Job, "j", { merge: { spec: { suspend: true } } }, inDefault);
  await cluster.clock.advance(60_000);
  expect(await cluster.pods()).toEqual([]);
  const suspended = await read(cluster);
  expect(suspended.status?.failed).toBeUndefined();
  expect(suspended.status?.active).toBeUndefined();
  await cluster.client.patch(Job, "j", { merge: { spec: { suspend: false } } }, inDefault);
  await cluster.rest();
  expect((await read(cluster)).status).toMatchObject({ active: 1 });
  const events = (await cluster.events("Job")).map((line) => line.replace(/j-\w+/, "j-x"));
  expect(events).toEqual([
    "SuccessfulCreate: Created pod: j-x",
    "SuccessfulDelete: Deleted pod: j-x",
    "Suspended: Job suspended",
    "SuccessfulCreate: Created pod: j-x",
    "Resumed: Job resumed",
  ]);
});

test("a pod that is deleted counts as failed; a Job that asks for it waits until the pod has ended", async () => {
  for (const policy of ["TerminatingOrFailed", "Failed"] as const) {
    await using cluster = await VirtualCluster.start();
    await run(cluster, job("sleep 1h", { podReplacementPolicy: policy }));
    const [first] = await cluster.pods();
    await cluster.client.delete(Pod, first?.metadata?.name ?? "", inDefault);
    await cluster.clock.advance(60_000);
    expect((await read(cluster)).status).toMatchObject({ active: 1, failed: 1, terminating: 0 });
    expect((await cluster.pods()).map(({ metadata }) => metadata?.uid)).not.toContain(first?.metadata?.uid);
  }
});

test("a Job of another controller is left to it", async () => {
  await using cluster = await VirtualCluster.start();
  const { status } = await run(cluster, job("true", { managedBy: "example.com/mine" }));
  expect(status ?? {}).toEqual({});
  expect(await cluster.pods()).toEqual([]);
});
