import { CronJob, type CronJobSpec, Job, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };

const cron = (script: string, spec: Partial<CronJobSpec> = {}): CronJob => ({
  metadata: { name: "tick", ...inDefault },
  spec: {
    schedule: "*/5 * * * *",
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "c", image: "tool:1", command: ["sh", "-c", script] }],
          },
        },
      },
    },
    ...spec,
  },
});

const minutes = (count: number) => count * 60_000;
const jobs = async (cluster: VirtualCluster) => (await cluster.client.list(Job, inDefault)).items;
const runs = async (cluster: VirtualCluster) =>
  (await cluster.events("CronJob")).filter((line) => line.startsWith("SuccessfulCreate")).length;

async function start(script: string, spec?: Partial<CronJobSpec>): Promise<VirtualCluster> {
  const cluster = await VirtualCluster.start();
  await cluster.client.create(CronJob, cron(script, spec));
  await cluster.rest();
  return cluster;
}

test("an hour of five minutes is twelve runs, of which the last three are kept", async () => {
  await using cluster = await start("true");
  expect(await jobs(cluster)).toEqual([]);
  await cluster.clock.advance(minutes(60));
  expect(await runs(cluster)).toBe(12);
  expect(await jobs(cluster)).toHaveLength(3);
  expect((await cluster.client.list(Pod, inDefault)).items).toHaveLength(3);
  const { status } = await cluster.client.get(CronJob, "tick", inDefault);
  expect(status?.lastScheduleTime).toBe("2026-01-01T01:00:00Z");
  expect(status?.active).toBeUndefined();
});

test.each([
  { concurrencyPolicy: "Allow", active: 3, all: 3 },
  { concurrencyPolicy: "Forbid", active: 1, all: 1 },
  { concurrencyPolicy: "Replace", active: 1, all: 1 },
] as const)(
  "$concurrencyPolicy: after three times of a long run $active are active",
  async ({ concurrencyPolicy, active, all }) => {
    await using cluster = await start("sleep 1h", { concurrencyPolicy });
    await cluster.clock.advance(minutes(16));
    const { status } = await cluster.client.get(CronJob, "tick", inDefault);
    expect(status?.active).toHaveLength(active);
    expect(await jobs(cluster)).toHaveLength(all);
  },
);

test("a suspended CronJob starts nothing, and makes up for the last time only when resumed", async () => {
  await using cluster = await start("true", { suspend: true });
  await cluster.clock.advance(minutes(62));
  expect(await jobs(cluster)).toEqual([]);
  await cluster.client.patch(CronJob, "tick", { merge: { spec: { suspend: false } } }, inDefault);
  await cluster.rest();
  expect(await runs(cluster)).toBe(1);
});
