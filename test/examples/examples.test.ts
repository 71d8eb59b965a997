// Every example in virtual time, with the permissions that follow from its declarations, and what its README cannot show.
import { existsSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigMap, type CustomResourceDefinition, Deployment, Job } from "@kubewright/api";
import { customKindsOf, defineManager, roundTripLosses } from "@kubewright/runtime";
import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Website } from "../../examples/02-owned-children/src/main.js";
import { Bucket, root } from "../../examples/04-finalizer/src/main.js";
import { Database, databaseConversion } from "../../examples/06-versions/src/main.js";
import { Backup } from "../../examples/07-schedule/src/main.js";
import { Cache } from "../../examples/10-from-go/src/api/cache.example.com/v1/cache.js";
import { folders, managers, names, objectsOf, read } from "./examples.js";

const manager = defineManager({
  name: "examples",
  resources: Object.values(managers).flatMap(({ resources: kinds = [] }) => kinds),
  controllers: Object.values(managers).flatMap(({ controllers }) => controllers),
  webhooks: Object.values(managers).flatMap(({ webhooks = [] }) => webhooks),
});
const resources = customKindsOf(manager);
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await testCluster({ manager, resources });
});
afterAll(() => cluster.close());

test("examples: every folder is one of those that are tested", () => {
  expect(folders()).toEqual(names);
});

test.each(names)(
  "%s: its program has less than 80 lines, and a README with run, expect and clean up",
  (name) => {
    expect(read(`${name}/src/main.ts`).split("\n").length).toBeLessThanOrEqual(80);
    expect(read(`${name}/README.md`).match(/^## .*$/gm)).toEqual(["## Run", "## Expect", "## Clean up"]);
  },
);

test.each(names.filter((name) => name !== "10-from-go"))(
  "%s: its sample is reconciled without a failure",
  async (name) => {
    await using scope = await cluster.forTest();
    for (const object of objectsOf(`${name}/sample.yaml`)) {
      const kind = await scope.client.resource({
        apiVersion: object.apiVersion ?? "",
        kind: object.kind ?? "",
      });
      await scope.client.create(kind, {
        ...object,
        metadata: { ...object.metadata, namespace: scope.namespace },
      });
    }
    await cluster.settle();
    expect(scope.errors).toEqual([]);
  },
);

test("02-owned-children: an edited child is put back, and children are collected with their owner", async () => {
  await using scope = await cluster.forTest();
  const { namespace } = scope;
  await scope.create(Website, { name: "home", spec: { html: "hello" } });
  await scope.eventually(Deployment, "home", ({ status }) => status?.readyReplicas === 2);
  await scope.client.patch(ConfigMap, "home", { merge: { data: { "index.html": "spam" } } }, { namespace });
  await scope.eventually(ConfigMap, "home", ({ data }) => data?.["index.html"] === "hello");
  await scope.delete(Website, "home");
  await scope.eventuallyGone(Deployment, "home");
  await scope.eventuallyGone(ConfigMap, "home");
});

test("04-finalizer: the folder is removed also when the Bucket is deleted while the operator is down", async () => {
  await using own = await testCluster({ manager: managers["04-finalizer"]!, resources: [Bucket] });
  try {
    await own.create(Bucket, { name: "photos", spec: { folder: "down" } });
    await own.condition(Bucket, "photos", "Ready");
    expect(await readdir(join(root, "default"))).toContain("down");
    own.crashManager();
    await own.delete(Bucket, "photos");
    await own.startManager();
    await own.eventuallyGone(Bucket, "photos");
    expect(existsSync(join(root, "default/down"))).toBe(false);
  } finally {
    rmSync(join(root, "default/down"), { recursive: true, force: true });
  }
});

test.each([
  { apiVersion: "v1", spec: { engine: "mysql", storage: { gigabytes: 7, className: "fast" } } },
  { apiVersion: "v1alpha1", spec: { engine: "mysql", size: "7Gi", storageClass: "fast" } },
])("06-versions: nothing gets lost on the way from $apiVersion and back", ({ apiVersion, spec }) => {
  const object = {
    apiVersion: `${Database.group}/${apiVersion}`,
    kind: "Database",
    metadata: { name: "db" },
    spec,
  };
  expect(roundTripLosses(databaseConversion, object)).toEqual([]);
});

test("06-versions: what a client of v1alpha1 writes is read as v1, and the other way round", async () => {
  await using scope = await cluster.forTest();
  await scope.create(Database.versions.v1alpha1, { name: "old", spec: { size: "10Gi" } });
  expect((await scope.get(Database, "old")).spec.storage).toEqual({ gigabytes: 10, className: "standard" });
  await scope.create(Database, { name: "new", spec: { storage: { gigabytes: 3 } } });
  expect((await scope.get(Database.versions.v1alpha1, "new")).spec.size).toBe("3Gi");
});

test("07-schedule: creates one Job for each day, wherever it crashes", async () => {
  await everyCrashPoint({ manager: managers["07-schedule"]!, resources: [Backup] }, async (own) => {
    await own.create(Backup, {
      name: "nightly",
      spec: { schedule: "30 2 * * *", timeZone: "Asia/Shanghai" },
    });
    await own.advance("48h");
    const jobs = await own.list(Job);
    const times = jobs.map(({ metadata }) => metadata?.creationTimestamp?.slice(0, 16)).toSorted();
    expect(times).toEqual(["2026-01-01T18:30", "2026-01-02T18:30"]);
  });
});

test("10-from-go: the imported kind means what the CRD of the Go operator means", async () => {
  const [crd] = objectsOf("10-from-go/crd.yaml") as readonly CustomResourceDefinition[];
  const schemaOf = (definition: CustomResourceDefinition | undefined) => {
    const { properties = {} } = definition?.spec.versions[0]?.schema?.openAPIV3Schema ?? {};
    return { spec: properties["spec"], status: properties["status"] };
  };
  expect(schemaOf(Cache.crd())).toEqual(schemaOf(crd));
});
