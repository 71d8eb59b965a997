// Commands about a cluster, as somebody would type them one after the other.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ClusterRole,
  CustomResourceDefinition,
  Deployment,
  isNotFound,
  Lease,
  Namespace,
} from "@kubewright/api";
import { waitFor } from "@kubewright/client";
import { type Cluster, rule, startCluster } from "@kubewright/cluster";
import { shardGroupLabel } from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliFixture, type Ended } from "./cli-fixture.js";

const fixture = new CliFixture("modelbox");
const patience = 180_000;
const namespace = "modelbox-system";
let cluster: Cluster;

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly remedy?: string;
}

beforeAll(async () => {
  cluster = await startCluster({ rules: [rule({}, { logs: ["one", "two", "three"] })] });
  writeFileSync(join(fixture.directory, "kubeconfig"), (await cluster.listen()).kubeconfig);
  await fixture.bundle();
}, patience);
afterAll(async () => {
  await cluster.close();
  fixture.close();
});

const kubewright = (...argv: string[]): Promise<Ended> =>
  fixture.start(argv, { env: { KUBECONFIG: join(fixture.directory, "kubeconfig") } }).ended;

async function troubles(): Promise<readonly Finding[]> {
  const { stdout } = await kubewright("doctor", "-o", "json");
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.filter(({ state }) => state !== "ok");
}

test(
  "doctor finds what is missing, in order, each with a remedy",
  async () => {
    expect(await troubles()).toMatchObject([
      {
        check: "kinds",
        state: "problem",
        message: "modelboxes.model.github.com is not installed",
        remedy: "kubewright install",
      },
      { check: "kinds", message: "modelboxpolicies.model.github.com is not installed" },
      { check: "webhooks", state: "warning" },
    ]);
  },
  patience,
);

test(
  "install makes the kinds; doctor tells when they are older than the code",
  async () => {
    expect(await kubewright("install")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("installed modelboxes.model.github.com"),
    });
    const crd = await cluster.client.get(CustomResourceDefinition, "modelboxes.model.github.com");
    const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/image/description";
    await cluster.client.patch(CustomResourceDefinition, crd.metadata?.name ?? "", {
      json: [{ op: "replace", path, value: "older" }],
    });
    expect(await troubles()).toMatchObject([
      { check: "kinds", message: expect.stringContaining("version v1 has another schema") },
      { check: "webhooks" },
    ]);
  },
  patience,
);

test(
  "uninstall refuses while there are objects, and lists them",
  async () => {
    const kind = await cluster.client.resource({ apiVersion: "model.github.com/v1", kind: "ModelBox" });
    const spec = { image: "nginx:1.27", ports: [{ port: 80 }] };
    await cluster.client.create(kind, { metadata: { name: "web", namespace: "default" }, spec });
    const refused = await kubewright("uninstall");
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain("  ModelBox default/web\n");
    await cluster.client.get(kind, "web", { namespace: "default" });
  },
  patience,
);

test(
  "deploy needs an image, applies everything and waits; doctor looks as the service account",
  async () => {
    expect(await kubewright("deploy")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--image is required"),
    });
    expect(await kubewright("deploy", "--image", "registry.example/modelbox:1", "--dry-run")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("create Deployment modelbox-system/modelbox-controller-manager\n"),
    });
    const deployed = await kubewright("deploy", "--image", "registry.example/modelbox:1");
    expect(deployed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/modelbox is available in modelbox-system\n.*no container really runs/),
    });
    const { spec } = await cluster.client.get(Deployment, "modelbox-controller-manager", { namespace });
    expect(spec?.template.spec?.containers[0]?.image).toBe("registry.example/modelbox:1");
    await cluster.client.patch(ClusterRole, "modelbox-manager-role", {
      json: [{ op: "remove", path: "/rules/1" }],
    });
    const now = new Date().toISOString().replace("Z", "000Z");
    await cluster.client.create(Lease, {
      metadata: { name: "modelbox", namespace },
      spec: { holderIdentity: "somebody_else", leaseDurationSeconds: 600, renewTime: now, acquireTime: now },
    });
    const found = await troubles();
    expect(found.map(({ check }) => check)).toEqual([...Array(6).fill("permissions"), "webhooks", "leader"]);
    expect(found[0]?.message).toContain(
      `service account ${namespace}/modelbox-controller-manager may not get services`,
    );
    expect(found.at(-2)?.message).toContain("has no caBundle");
    expect(found.at(-1)?.message).toContain("somebody_else holds the lease");
  },
  patience,
);

test(
  "logs shows what every replica wrote, the last lines of it, and what it goes on to write",
  async () => {
    const scale = { spec: { replicas: 2 } };
    await cluster.client.patch(Deployment, "modelbox-controller-manager", { merge: scale }, { namespace });
    await waitFor(
      cluster.client,
      Deployment,
      "modelbox-controller-manager",
      (object) => object?.status?.readyReplicas === 2,
      { namespace },
    );
    const all = await kubewright("logs");
    expect(all).toMatchObject({ code: 0, stderr: "" });
    const lines = all.stdout.trimEnd().split("\n");
    expect(new Set(lines.map((line) => line.split(": ")[0])).size).toBe(2);
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatch(/^modelbox-controller-manager-\S+: (one|two|three)$/);
    const last = await kubewright("logs", "--tail", "1");
    expect(last.stdout.match(/: \w+$/gm)).toEqual([": three", ": three"]);
    expect(await kubewright("logs", "--tail", "some")).toMatchObject({
      code: 2,
      stderr: "kubewright logs: --tail some: a number of lines is needed\n",
    });
    const env = { KUBECONFIG: join(fixture.directory, "kubeconfig") };
    const { child, printed, ended } = fixture.start(["logs", "--follow", "--tail", "1"], { env });
    await printed(": three");
    child.kill("SIGINT");
    expect((await ended).code).toBe(0);
  },
  patience,
);

test(
  "undeploy takes all of it away but the kinds, and uninstall --force those",
  async () => {
    const undeployed = await kubewright("undeploy");
    expect(undeployed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`deleted Lease ${namespace}/modelbox\n`),
    });
    expect(undeployed.stdout).toContain(`deleted Namespace ${namespace}\n`);
    await expect(
      cluster.client.get(Deployment, "modelbox-controller-manager", { namespace }),
    ).rejects.toSatisfy(isNotFound);
    expect(await kubewright("uninstall", "--force")).toMatchObject({ code: 0 });
    await expect(
      cluster.client.get(CustomResourceDefinition, "modelboxes.model.github.com"),
    ).rejects.toSatisfy(isNotFound);
  },
  patience,
);

test(
  "undeploy deletes the leases of replicas that share their keys, and no others",
  async () => {
    const main = join(fixture.project, "src/main.ts");
    const before = readFileSync(main, "utf8");
    writeFileSync(main, before.replace('name: "modelbox",', 'name: "modelbox",\n  sharding: true,'));
    const place = { namespace: "sharded" };
    await cluster.client.create(Namespace, { metadata: { name: place.namespace } });
    const lease = (name: string, group: string) =>
      cluster.client.create(Lease, { metadata: { name, ...place, labels: { [shardGroupLabel]: group } } });
    await lease("modelbox-shards", "modelbox-shards");
    await lease("modelbox-shards-a1", "modelbox-shards");
    await lease("other-shards", "other-shards");
    const undeployed = await kubewright("undeploy", "--namespace", "sharded");
    writeFileSync(main, before);
    expect(undeployed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        "deleted Lease sharded/modelbox-shards\ndeleted Lease sharded/modelbox-shards-a1\n",
      ),
    });
    const { items } = await cluster.client.list(Lease, place);
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["other-shards"]);
  },
  patience,
);

test(
  "manifests --check names what is stale; what was edited by hand is not overwritten unless forced",
  async () => {
    const role = join(fixture.project, "config/rbac/role.yaml");
    expect(await kubewright("manifests", "--check")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("stale: config/rbac/role.yaml"),
    });
    expect(await kubewright("manifests")).toMatchObject({ code: 0 });
    expect(await kubewright("manifests", "--check")).toMatchObject({ code: 0, stdout: "up to date\n" });
    const text = readFileSync(role, "utf8");
    writeFileSync(role, text.replace("pods", "nodes"));
    expect(await kubewright("generate")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("config/rbac/role.yaml was edited by hand, so it stays as it is"),
    });
    expect(readFileSync(role, "utf8")).not.toBe(text);
    expect(await kubewright("manifests", "--check")).toMatchObject({ code: 0 });
    expect(await kubewright("manifests", "--force")).toMatchObject({ code: 0 });
    expect(readFileSync(role, "utf8")).toBe(text);
  },
  patience,
);

test(
  "logs says so when nothing is deployed",
  async () => {
    expect(await kubewright("logs")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^kubewright logs: modelbox has no pods in modelbox-system of context \S+ \(\S+\); kubewright deploy makes some\n$/,
      ),
    });
  },
  patience,
);

test(
  "doctor says so when there is no cluster",
  async () => {
    const { code, stdout } = await fixture.start(["doctor"], {
      env: { KUBECONFIG: join(fixture.directory, "none") },
    }).ended;
    expect(code).toBe(3);
    expect(stdout).toMatch(/problem {2}reachable {4}there is no kubeconfig at .*\n.*→ kubewright cluster/);
  },
  patience,
);
