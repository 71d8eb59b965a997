import { CronJob, Deployment, Job, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { recordHistory } from "./history.js";
import { VirtualCluster, web, withImage } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const day = 24 * 60 * 60_000;

const everyFiveMinutes: CronJob = {
  metadata: { name: "tick", ...inDefault },
  spec: {
    schedule: "*/5 * * * *",
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "c", image: "tool:1", command: ["sh", "-c", "true"] }],
          },
        },
      },
    },
  },
};

/** The whole month takes long on a loaded machine; `KUBEWRIGHT_LONG_TESTS` asks for it. */
const days = process.env["KUBEWRIGHT_LONG_TESTS"] ? 30 : 1;

test(`${days * 24} hours of a five-minute CronJob are ${days * 288} runs, each with a pod that finished`, {
  timeout: 300_000,
}, async () => {
  await using cluster = await VirtualCluster.start({ seed: "month" });
  const started = new Set<string>();
  const completed = new Set<string>();
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { object } of cluster.client.watch(Job, {
      ...inDefault,
      signal: stop.signal,
      timeoutSeconds: 40 * 86_400,
    })) {
      started.add(object.metadata?.uid ?? "");
      if (object.status?.succeeded === 1) completed.add(object.metadata?.uid ?? "");
    }
  })().catch(() => undefined);
  await cluster.client.create(CronJob, everyFiveMinutes);
  await cluster.clock.advance(days * day);
  expect(started.size).toBe(days * 288);
  expect(completed.size).toBe(days * 288);
  stop.abort();
  await watching;
});

test("time that passes with nothing to do costs nothing", async () => {
  await using cluster = await VirtualCluster.start();
  // By then the events of the start are forgotten.
  await cluster.clock.advance(day);
  const before = cluster.clock.pending;
  const revision = (await cluster.client.list(Pod)).metadata.resourceVersion;
  await cluster.clock.advance(day);
  expect(cluster.clock.pending).toBe(before);
  expect((await cluster.client.list(Pod)).metadata.resourceVersion).toBe(revision);
});

async function story(seed: string): Promise<readonly string[]> {
  await using cluster = await VirtualCluster.start({ seed, nodes: 3 });
  const history = await recordHistory(cluster.client, cluster.clock);
  await cluster.client.create(CronJob, everyFiveMinutes);
  await cluster.client.create(Deployment, web({ replicas: 5 }));
  await cluster.clock.advance(20 * 60_000);
  await cluster.client.patch(Deployment, "web", withImage("web:2"), inDefault);
  await cluster.clock.advance(60_000);
  await cluster.client.delete(Deployment, "web", inDefault);
  await cluster.clock.advance(20 * 60_000);
  await history.stop();
  return history.lines;
}

test("the same seed gives the same history, event for event; another gives another", {
  timeout: 120_000,
}, async () => {
  const first = await story("a");
  expect(first.length).toBeGreaterThan(300);
  expect(await story("a")).toEqual(first);
  expect(await story("b")).not.toEqual(first);
});
