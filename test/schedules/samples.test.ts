// The samples, as they are in the operators' folders, do what they say: created as text, as kubectl would.
import { readFileSync } from "node:fs";
import { Deployment, Job } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import crontab from "../../operators/crontab/src/main.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import scaler from "../../operators/scheduled-scaler/src/main.js";
import { objectsIn } from "./sample-objects.js";

const labels = { app: "nginx" };
const template = { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:1.27" }] } };
const sample = (path: string): readonly object[] =>
  objectsIn(readFileSync(new URL(`../../operators/${path}`, import.meta.url), "utf8"));

test("a minute after the sample timetable, nginx has three replicas, and kubectl prints it", async () => {
  await using cluster = await testCluster({
    resources: customKindsOf(scaler),
    manager: scaler,
    leaks: "ignore",
  });
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await cluster.create(Deployment, { name: "nginx", spec });
  for (const object of sample("scheduled-scaler/config/samples/hpa.yaml"))
    await cluster.client.raw("/apis/autoscal.aiops.org/v1/namespaces/default/hpas", {
      method: "POST",
      body: object,
    });
  await cluster.advance("61s");
  await cluster.eventually(Deployment, "nginx", ({ status }) => status?.readyReplicas === 3);
  const { rows } = await cluster.client.table(Hpa, { namespace: "default" });
  expect(rows[0]?.cells.slice(0, 4)).toEqual(["nginx-schedule", "Deployment/nginx", 3, "scale-up"]);
});

test("the sample CronTab has a Job for every second", async () => {
  await using cluster = await testCluster({
    resources: customKindsOf(crontab),
    manager: crontab,
    leaks: "ignore",
  });
  for (const object of sample("crontab/config/samples/crontab.yaml"))
    await cluster.client.raw("/apis/stable.example.com/v1/namespaces/default/crontabs", {
      method: "POST",
      body: object,
    });
  await cluster.advance("10s");
  // The image ends at once, and of the runs that succeeded the last three are kept.
  const made = cluster.manager?.writes.filter((write) => /^POST .*\/jobs$/.test(write));
  expect(made).toHaveLength(10);
  expect(await cluster.list(Job)).toHaveLength(3);
});
