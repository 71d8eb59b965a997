import { findCondition, isNotFound, Job } from "@kubewright/api";
import { expect, test } from "vitest";
import { inDefault, job, read, run } from "./one-job.js";
import { VirtualCluster } from "./virtual-cluster.js";

const isTrue = ({ status }: Job, type: string) => findCondition(status?.conditions, type)?.status === "True";

test("a Job is complete when its pod has succeeded", async () => {
  await using cluster = await VirtualCluster.start();
  const { status } = await run(cluster, job("echo done"));
  expect(status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0 });
  expect(status?.active).toBeUndefined();
  expect(status?.completionTime).toBeDefined();
  expect(status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
    ["SuccessCriteriaMet", "CompletionsReached"],
    ["Complete", "CompletionsReached"],
  ]);
  const [pod] = await cluster.pods();
  expect(pod?.metadata?.finalizers).toBeUndefined();
});

test("several completions run as many at a time as allowed", async () => {
  await using cluster = await VirtualCluster.start();
  await run(cluster, job("sleep 10", { completions: 5, parallelism: 2 }));
  const counts: (number | undefined)[][] = [];
  for (let step = 0; step < 4; step++) {
    const { status } = await read(cluster);
    counts.push([status?.active, status?.succeeded]);
    await cluster.clock.advance(10_000);
  }
  expect(counts).toEqual([
    [2, undefined],
    [2, 2],
    [1, 4],
    [undefined, 5],
  ]);
});

test("an indexed Job runs every index once", async () => {
  await using cluster = await VirtualCluster.start();
  const { status } = await run(
    cluster,
    job("true", { completions: 4, parallelism: 2, completionMode: "Indexed" }),
  );
  expect(status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
  const indexes = (await cluster.pods()).map(
    ({ metadata }) => metadata?.annotations?.["batch.kubernetes.io/job-completion-index"],
  );
  expect(indexes.toSorted()).toEqual(["0", "1", "2", "3"]);
});

test("failed pods are tried again with growing pauses until the limit is reached", async () => {
  await using cluster = await VirtualCluster.start();
  expect((await run(cluster, job("exit 1", { backoffLimit: 2 }))).status).toMatchObject({ failed: 1 });
  await cluster.clock.advance(10_000);
  expect((await read(cluster)).status).toMatchObject({ failed: 2 });
  await cluster.clock.advance(19_000);
  expect((await read(cluster)).status).toMatchObject({ failed: 2 });
  await cluster.clock.advance(2_000);
  const over = await read(cluster);
  expect(over.status).toMatchObject({ failed: 3 });
  expect(findCondition(over.status?.conditions, "Failed")).toMatchObject({ reason: "BackoffLimitExceeded" });
  await cluster.clock.advance(3_600_000);
  expect(await cluster.pods()).toHaveLength(3);
});

test("a deadline ends a Job that takes too long, and its pods", async () => {
  await using cluster = await VirtualCluster.start();
  await run(cluster, job("sleep 1h", { activeDeadlineSeconds: 60 }));
  await cluster.clock.advance(61_000);
  const over = await read(cluster);
  expect(findCondition(over.status?.conditions, "Failed")).toMatchObject({ reason: "DeadlineExceeded" });
  expect(await cluster.pods()).toEqual([]);
});

test("a suspended Job has no pods until it is resumed", async () => {
  await using cluster = await VirtualCluster.start();
  const suspended = await run(cluster, job("true", { suspend: true }));
  expect(isTrue(suspended, "Suspended")).toBe(true);
  expect(suspended.status?.startTime).toBeUndefined();
  expect(await cluster.pods()).toEqual([]);
  await cluster.client.patch(Job, "j", { merge: { spec: { suspend: false } } }, inDefault);
  await cluster.rest();
  const resumed = await read(cluster);
  expect(isTrue(resumed, "Complete")).toBe(true);
  expect(isTrue(resumed, "Suspended")).toBe(false);
});

test("a finished Job goes with its pods when its time has come", async () => {
  await using cluster = await VirtualCluster.start();
  await run(cluster, job("true", { ttlSecondsAfterFinished: 100 }));
  await cluster.clock.advance(99_000);
  expect(isTrue(await read(cluster), "Complete")).toBe(true);
  await cluster.clock.advance(2_000);
  await expect(read(cluster)).rejects.toSatisfy(isNotFound);
  expect(await cluster.pods()).toEqual([]);
});
