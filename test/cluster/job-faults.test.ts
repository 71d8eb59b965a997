// A Job counts every pod once, whatever write of the controller fails, before or after it took effect.
import { Job, type JobSpec } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };

const job = (name: string, script: string, spec: Partial<JobSpec>): Job => ({
  metadata: { name, ...inDefault },
  spec: {
    template: {
      metadata: { labels: { of: name } },
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "c", image: "tool:1", command: ["sh", "-c", script] }],
      },
    },
    ...spec,
  },
});

const failures = [
  ["is refused", { code: 500 }],
  ["takes effect and its answer is lost", "lost"],
] as const;

test.each(failures)("a write that %s", { timeout: 60_000 }, async (_name, failure) => {
  await using cluster = await VirtualCluster.start();
  const client = "kube-controller-manager";
  let failed = 0;
  for (let nth = 1; nth <= 12; nth++) {
    const faults = ["jobs/status", "pods"].map((resource) =>
      cluster.cluster.faults.fail({ client, verb: "write", resource }, failure, { nth }),
    );
    const good = `good-${nth}`;
    const bad = `bad-${nth}`;
    await cluster.client.create(Job, job(good, "true", { completions: 3, parallelism: 2 }));
    await cluster.client.create(Job, job(bad, "exit 1", { backoffLimit: 1 }));
    await cluster.clock.advance(120_000);
    for (const fault of faults) {
      failed += fault.failed;
      fault.remove();
    }
    const read = async (name: string) => (await cluster.client.get(Job, name, inDefault)).status;
    expect(await read(good), good).toMatchObject({ succeeded: 3, uncountedTerminatedPods: {} });
    expect((await read(good))?.failed, good).toBeUndefined();
    expect(await read(bad), bad).toMatchObject({ failed: 2, uncountedTerminatedPods: {} });
    for (const [name, pods] of [
      [good, 3],
      [bad, 2],
    ] as const) {
      const there = await cluster.pods(`of=${name}`);
      expect(there, name).toHaveLength(pods);
      expect(
        there.flatMap(({ metadata }) => metadata?.finalizers ?? []),
        name,
      ).toEqual([]);
    }
  }
  expect(failed).toBeGreaterThan(12);
  // What the controllers met is what the test asked for.
  cluster.problems.length = 0;
});
