// A user's first minutes, by the clock on the wall: within a minute nginx has three replicas, and the table kubectl prints says so.
// Where there is a kubectl it is asked, and the operators are reached as they are in a terminal.
import { readFileSync } from "node:fs";
import { CustomResourceDefinition, Deployment } from "@kubewright/api";
import { clientNames, customKindsOf, type ManagerDefinition, startManager } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import crontab from "../../operators/crontab/src/main.js";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import scaler from "../../operators/scheduled-scaler/src/main.js";
import { cronTabDefinition } from "../docs/own-crd.js";
import { findKubectls, KubectlFixture } from "../kubectl/kubectl.js";
import { objectsIn } from "./sample-objects.js";

const labels = { app: "nginx" };
const template = { metadata: { labels }, spec: { containers: [{ name: "nginx", image: "nginx:1.27" }] } };
const sample = new URL("../../operators/scheduled-scaler/config/samples/hpa.yaml", import.meta.url);
const patience = { timeout: "90s" };
const [kubectl] = findKubectls();

test.skipIf(kubectl)("every minute, by the clock on the wall", { timeout: 120_000 }, async () => {
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

const samples = new URL("../../operators/", import.meta.url).pathname;
const timetable = (spec: string): string => `
apiVersion: autoscal.aiops.org/v1
kind: Hpa
metadata: { name: wrong }
spec:
  scaleTarget: { apiVersion: apps/v1, kind: Deployment, name: nginx }
  ${spec}
`;
const wrong: readonly (readonly [string, string])[] = [
  [
    'jobs: [{ name: a, schedule: "0 25 * * *", size: 3 }]',
    'spec.jobs[0].schedule: Invalid value: "0 25 * * *": hour: "25" is not 0 to 23 (column 3)',
  ],
  ['jobs: [{ name: a, schedule: "0 9 30 2 *", size: 3 }]', "never comes: no year has such a day (column 5)"],
  [
    'jobs: [{ name: a, schedule: "0 9 * * *", size: 3, timeZone: Mars/Olympus }]',
    'there is no time zone "Mars/Olympus"',
  ],
  [
    'jobs: [{ name: a, schedule: "@daily", size: 3 }, { name: a, schedule: "@hourly", size: 4 }]',
    'spec.jobs[1].name: Duplicate value: "a"',
  ],
];

test.runIf(kubectl)("a user's first minutes", { timeout: 240_000 }, async () => {
  const terminal = await KubectlFixture.start(kubectl!, { nodes: 1 });
  const { cluster } = terminal;
  const run = (definition: ManagerDefinition) =>
    startManager(definition, {
      client: cluster.connect(clientNames(definition)),
      webhooks: { mode: "url", port: 0 },
      namespace: "default",
      onError: () => undefined,
    });
  const managers: Awaited<ReturnType<typeof run>>[] = [];
  try {
    for (const kind of customKindsOf(scaler))
      await cluster.client.create(CustomResourceDefinition, kind.crd());
    await terminal.ok("apply -f -", { input: cronTabDefinition });
    managers.push(await run(scaler), await run(crontab));
    await terminal.ok("create deployment nginx --image=nginx");
    await terminal.ok(`apply -f ${samples}scheduled-scaler/config/samples/hpa.yaml`);
    await terminal.ok(`apply -f ${samples}crontab/config/samples/crontab.yaml`);
    for (const [spec, message] of wrong) {
      const { code, stderr } = await terminal.run("apply -f -", { input: timetable(spec) });
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    await terminal.ok("wait --for=jsonpath={.status.currentSize}=3 shpa/nginx-schedule --timeout=120s");
    await terminal.ok("wait --for=jsonpath={.status.readyReplicas}=3 deployment/nginx --timeout=60s");
    const printed = await terminal.ok("get hpas.autoscal.aiops.org");
    expect(printed).toMatch(/^NAME +TARGET +CURRENT +NEXT JOB +NEXT RUN +SUSPENDED +AGE\n/);
    expect(printed).toMatch(/\nnginx-schedule +Deployment\/nginx +3 +scale-up +\S+:00Z +false +\d+/);
    const described = await terminal.ok("describe hpas.autoscal.aiops.org nginx-schedule");
    expect(described).toMatch(/Normal +Scaled .*Deployment nginx from 1 to 3/);
    expect(await terminal.ok("get ct")).toMatch(/^NAME +AGE\nmy-new-cron-object /);
    expect(await terminal.ok("get jobs")).toMatch(/\nmy-new-cron-object-\d{10} +Complete +1\/1 /);
  } finally {
    for (const manager of managers) await manager.close();
    await terminal.close();
  }
});
