import { Job, VirtualClock } from "@kubewright/api";
import { createApiServer } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { CachedClient, InformerPool } from "@kubewright/runtime";
import { expect, it } from "vitest";
import type { ControllerEnvironment } from "./controller.js";
import { SyncLoop } from "./sync-loop.js";

const namespace = "default";

/** A loop that says in the status of every Job how often it looked at it. */
async function counting() {
  const clock = new VirtualClock();
  const server = createApiServer({ clock });
  const client = new Client({ transport: server.transport(), clock, inProcess: true });
  const pool = new InformerPool({ client, clock, random: Math.random });
  const cached = new CachedClient(client, pool);
  const environment = { client: cached, pool, clock, random: () => 0.5, report: () => undefined };
  let looks = 0;
  const loop: SyncLoop = new SyncLoop(environment as unknown as ControllerEnvironment, {
    name: "counting",
    async sync(key) {
      const job = jobs.get(key);
      if (job) await loop.writeStatus(Job, job, { ...job.status, active: ++looks });
      return undefined;
    },
  });
  const jobs = loop.watch(Job, ({ key }) => [key]);
  await loop.start();
  await client.create(Job, {
    metadata: { name: "a", namespace },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  });
  await clock.settle();
  const close = async (): Promise<void> => {
    await loop.close();
    await pool.close();
    server.close();
  };
  return { client, clock, looks: () => looks, [Symbol.asyncDispose]: close };
}

it("SyncLoop: does not sync because of a status it wrote itself", async () => {
  await using loop = await counting();
  expect(loop.looks()).toBe(1);
  expect((await loop.client.get(Job, "a", { namespace })).status?.active).toBe(1);
});

it("SyncLoop: syncs when another client writes, to the status too", async () => {
  await using loop = await counting();
  await loop.client.patch(Job, "a", { merge: { metadata: { labels: { a: "b" } } } }, { namespace });
  await loop.clock.settle();
  expect(loop.looks()).toBe(2);
  await loop.client.patch(
    Job,
    "a",
    { merge: { status: { ready: 1 } } },
    { namespace, subresource: "status" },
  );
  await loop.clock.settle();
  expect(loop.looks()).toBe(3);
});

it("SyncLoop: syncs when another client wrote before the watch event of its own write arrived", async () => {
  await using loop = await counting();
  const change = (value: string) =>
    loop.client.patch(Job, "a", { merge: { metadata: { labels: { a: value } } } }, { namespace });
  await Promise.all([change("1"), change("2"), change("3")]);
  await loop.clock.settle();
  const { metadata, status } = await loop.client.get(Job, "a", { namespace });
  expect(metadata?.labels?.["a"]).toBe("3");
  expect(status?.active).toBe(loop.looks());
});
