// The sample timetable in real time: within a minute nginx has three replicas, and the table kubectl prints says so.
import { readFileSync } from "node:fs";
import { Deployment } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import scaler from "../../operators/scheduled-scaler/src/main.js";
import { objectsIn } from "./sample-objects.js";

const labels = { app: "nginx" };
const template = { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:1.27" }] } };
const sample = new URL("../../operators/scheduled-scaler/config/samples/hpa.yaml", import.meta.url);
const patience = { timeout: "90s" };

test("every minute, by the clock on the wall", { timeout: 120_000 }, async () => {
  const manager = scaler;
  await using cluster = await testCluster({
    resources: customKindsOf(scaler),
    manager,
    clock: "real",
    leaks: "ignore",
  });
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await cluster.create(Deployment, { name: "nginx", spec });
  for (const body of objectsIn(readFileSync(sample, "utf8")))
    await cluster.client.raw("/apis/autoscal.aiops.org/v1/namespaces/default/hpas", { method: "POST", body });
  const isScaled = ({ status }: Deployment): boolean => status?.readyReplicas === 3;
  await cluster.eventually(Deployment, "nginx", isScaled, patience);
  const { status } = await cluster.eventually(
    Hpa,
    "nginx-schedule",
    (hpa) => hpa.status?.currentSize === 3,
    patience,
  );
  expect(status?.history?.[0]).toMatchObject({ job: "scale-up", from: 1, to: 3, result: "Scaled" });
  expect(status?.history?.[0]?.time).toMatch(/:00Z$/);
  const { rows } = await cluster.client.table(Hpa, { namespace: "default" });
  expect(rows[0]?.cells.slice(0, 4)).toEqual(["nginx-schedule", "Deployment/nginx", 3, "scale-up"]);
});
