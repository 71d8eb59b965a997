// An operator that is deployed but does not run: deploy and doctor say why, with the last log lines, the events and a remedy.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  CustomResourceDefinition,
  formatMicroTime,
  Lease,
  Namespace,
  Node,
  ResourceQuota,
  Secret,
  ValidatingWebhookConfiguration,
  VirtualClock,
} from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { type ClusterOptions, type PortHandler, rule, startCluster } from "@kubewright/cluster";
import {
  defineConversion,
  defineManager,
  defineWebhook,
  shardGroupLabel,
  webhookObjectNames,
} from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { describe, expect, test } from "vitest";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { askAddress, askPod } from "../../packages/cli/src/cluster-commands/ask-manager.js";
import { isSimulated } from "../../packages/cli/src/cluster-commands/deployment-report.js";
import { checkDeployment } from "../../packages/cli/src/cluster-commands/doctor/check-deployment.js";
import { checkWebhooks } from "../../packages/cli/src/cluster-commands/doctor/check-webhooks.js";
import { shardLeases } from "../../packages/cli/src/cluster-commands/made-by-manager.js";
import {
  deleteOwnNamespace,
  isMissing,
  markedAsOwn,
} from "../../packages/cli/src/cluster-commands/own-namespace.js";
import { previewObject } from "../../packages/cli/src/cluster-commands/preview-objects.js";
import { mostTelling } from "../../packages/cli/src/cluster-commands/story-text.js";
import { waitForDeployment } from "../../packages/cli/src/cluster-commands/wait-for-deployment.js";
import { preview } from "../../packages/cli/src/commands/deploy.js";
import { installObjects } from "../../packages/cli/src/manifests/config-files.js";
import { manifestSettings } from "../../packages/cli/src/manifests/manifest-settings.js";
import { definitionsOf, operatorOf } from "../../packages/cli/src/manifests/operator.js";
import { installDefinitions } from "../../packages/cli/src/run/install-kinds.js";

const settings = manifestSettings("/nonexistent", "shop", { image: "registry.example/shop:1" });
const operator = operatorOf(defineManager({ name: "shop", controllers: [] }), settings);
const { namespace } = settings;

async function started(options: Partial<ClusterOptions>) {
  const clock = new VirtualClock({ start: Date.now(), timeout: 10_000 });
  const cluster = await startCluster({ ...options, clock });
  return { clock, cluster, client: cluster.client, [Symbol.asyncDispose]: () => cluster.close() };
}
type Started = Awaited<ReturnType<typeof started>>;

async function deploy({ client, clock }: Started, of = operator): Promise<void> {
  const applied = (async () => {
    for (const object of installObjects(of)) await applyObject(client, object, "test");
  })();
  await clock.runUntilSettled(applied);
}

const waited = ({ client, clock }: Started, said: string[] = [], of = operator) =>
  clock.runUntilSettled(
    waitForDeployment(client, of, { timeout: 60_000, clock, say: (text) => said.push(text) }),
  );

const pod = String.raw`Pod shop-system/shop-controller-manager-\S+`;

test.each<[string, Partial<ClusterOptions>, RegExp]>([
  [
    "the image cannot be pulled",
    { rules: [rule({}, { pullError: "not found" })] },
    new RegExp(
      `Deployment shop-system/shop-controller-manager is not available after 60 s: 0 of 1 replicas are ready\\n  ${pod}: image registry.example/shop:1 of container manager cannot be pulled[\\s\\S]*event Failed: [\\s\\S]*→ push the image`,
    ),
  ],
  [
    "the manager crashes",
    { rules: [rule({}, { logs: ["starting", "no such kind"], crashLoop: { after: "10ms", exitCode: 7 } })] },
    new RegExp(
      `${pod}: container manager exits with code 7 again and again[\\s\\S]*log: no such kind[\\s\\S]*→ the last lines`,
    ),
  ],
  [
    "no node takes it",
    { nodes: [{ name: "small", allocatable: { cpu: "1m" } }] } as Partial<ClusterOptions>,
    new RegExp(`${pod}: no node takes it: 0/1 nodes are available[\\s\\S]*→ lower its requests`),
  ],
])("deploy reports why the operator is not available: %s", async (_, options, message) => {
  await using cluster = await started(options);
  await deploy(cluster);
  const said: string[] = [];
  await expect(waited(cluster, said)).rejects.toThrow(message);
  expect(said.length).toBeGreaterThan(0);
  const [finding] = await checkDeployment({ client: cluster.client, cluster: "the cluster", operator });
  expect(finding).toMatchObject({ check: "deployment", state: "problem", remedy: expect.any(String) });
});

test("deploy reports pods that a quota refuses", async () => {
  await using cluster = await started({});
  await cluster.client.create(Namespace, { metadata: { name: namespace } });
  const hard = { pods: "0" };
  await cluster.client.create(ResourceQuota, { metadata: { name: "none", namespace }, spec: { hard } });
  await deploy(cluster);
  await expect(waited(cluster)).rejects.toThrow(
    /its pods are refused: .*exceeded quota: none[\s\S]*→ raise the quota/,
  );
});

test("on simulated nodes deploy and doctor say that nothing really runs", async () => {
  await using cluster = await started({});
  await deploy(cluster);
  await waited(cluster);
  expect(await isSimulated(cluster.client)).toBe(true);
  expect(await checkDeployment({ client: cluster.client, cluster: "the cluster", operator })).toEqual([
    {
      check: "deployment",
      state: "ok",
      message: expect.stringMatching(
        /^1 of 1 replicas are ready in shop-system; .*simulated: no container really runs/,
      ),
    },
  ]);
});

const day = 86_400_000;
const authority = () =>
  createCertificateAuthority({
    commonName: "webhooks",
    notBefore: Date.now() - 9 * day,
    notAfter: Date.now() + 99 * day,
  });

describe("pods that run, and an operator that does nothing", () => {
  const Order = defineResource({
    group: "shop.example.com",
    version: "v1",
    kind: "Order",
    spec: z.object({ size: z.int().default(1) }),
  });
  const webhook = defineWebhook(Order, { validate: () => [] });
  const served = operatorOf(
    defineManager({ name: "shop", controllers: [], resources: [Order], webhooks: [webhook] }),
    settings,
  );
  const names = webhookObjectNames("shop");
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const signer = authority();

  /** A node that is not simulated, so that the manager could run; what it would do is done here. */
  async function deployed(days?: number): Promise<Started> {
    const cluster = await started({ rules: [rule({}, { logs: ["serving webhooks"] })] });
    const { client } = cluster;
    await client.create(Node, { metadata: { name: "real" } });
    await deploy(cluster, served);
    if (days === undefined) return cluster;
    const caBundle = encoded(signer.certificate);
    await client.patch(ValidatingWebhookConfiguration, names.validating, {
      json: [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: caBundle }],
    });
    const times = { notBefore: Date.now() - 8 * day, notAfter: Date.now() + days * day };
    const { certificate } = signer.issue({ commonName: "webhooks", usage: "server", ...times });
    const data = { "tls.crt": encoded(certificate), "tls.key": "" };
    await client.create(Secret, { metadata: { name: names.secret, namespace }, data });
    return cluster;
  }

  test.each<[string, number | undefined, RegExp]>([
    [
      "the manager has not configured its webhooks",
      undefined,
      /does not serve after 60 s: 1 of 1 replicas are ready\n {2}webhooks: the configuration has no caBundle[\s\S]*log: serving webhooks\n {4}→ the manager does it/,
    ],
    [
      "the certificate has expired",
      -1,
      /webhooks: the certificate ended on [\s\S]*log: serving webhooks\n {4}→ kubectl -n shop-system rollout restart/,
    ],
    [
      "the API server cannot call the webhooks",
      50,
      /webhooks: the API server cannot call them: .*failed calling webhook "validate.order[\s\S]*log: serving webhooks\n {4}→ let it reach port 9443/,
    ],
  ])("deploy fails and doctor finds it when %s", async (_, days, message) => {
    await using cluster = await deployed(days);
    await expect(waited(cluster, [], served)).rejects.toThrow(message);
    const found = await checkWebhooks({ client: cluster.client, cluster: "the cluster", operator: served });
    expect(found.at(-1)).toMatchObject({ state: "problem", remedy: expect.any(String) });
  });

  test("deploy names another manager that holds the lease", async () => {
    await using cluster = await started({});
    const { client, clock } = cluster;
    await client.create(Node, { metadata: { name: "real" } });
    await deploy(cluster);
    const spec = {
      holderIdentity: "laptop_42",
      leaseDurationSeconds: 600,
      renewTime: formatMicroTime(clock.now()),
    };
    await client.create(Lease, { metadata: { name: "shop", namespace }, spec });
    expect(await waited(cluster)).toEqual([
      {
        message: expect.stringContaining("leader: laptop_42 holds the lease shop-system/shop until "),
        details: [],
        remedy: "another copy of the operator runs: stop it, or wait for it to end",
        isFinal: false,
      },
    ]);
  });
});

test("deploy --dry-run does not show the conversion that the running manager has filled in", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  const Order = defineResource({
    group: "shop.example.com",
    version: "v1",
    kind: "Order",
    conversion: "webhook",
    spec: z.object({ size: z.int().default(1) }),
    versions: { v2: { spec: z.object({ size: z.int().default(1) }) } },
  });
  const conversion = defineConversion(Order, {
    v2: { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) },
  });
  const converting = operatorOf(
    defineManager({ name: "shop", controllers: [], resources: [Order], webhooks: [conversion] }),
    settings,
  );
  const definitions = definitionsOf(converting);
  const keeps = () => true;
  await installDefinitions(client, definitions, { keeps });
  const caBundle = Buffer.from(authority().certificate).toString("base64");
  await client.patch(CustomResourceDefinition, "orders.shop.example.com", {
    merge: { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } },
  });
  const shown = () => preview(client, converting, definitions[0]!);
  expect(await shown()).toBe("unchanged CustomResourceDefinition orders.shop.example.com");
  // A second deploy takes the bundle over from what is live.
  await installDefinitions(client, definitions, { keeps });
  expect(await shown()).toBe("unchanged CustomResourceDefinition orders.shop.example.com");
  await client.patch(CustomResourceDefinition, "orders.shop.example.com", {
    merge: {
      spec: { conversion: { webhook: { clientConfig: { service: null, url: "https://127.0.0.1:1/x" } } } },
    },
  });
  expect(await shown()).toMatch(/^change [\s\S]*- +url: https:\/\/127\.0\.0\.1:1/);
  await installDefinitions(client, definitions, { keeps: () => false });
  expect(await shown()).toBe("unchanged CustomResourceDefinition orders.shop.example.com");
});

test("undeploy finds the leases of replicas that share their keys", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  await client.create(Namespace, { metadata: { name: namespace } });
  const sharded = operatorOf(defineManager({ name: "shop", controllers: [], sharding: true }), settings);
  for (const [name, group] of [
    ["shop-shards", "shop-shards"],
    ["shop-shards-a1", "shop-shards"],
    ["other-shards", "other-shards"],
  ] as const)
    await client.create(Lease, { metadata: { name, namespace, labels: { [shardGroupLabel]: group } } });
  const found = await shardLeases(client, sharded);
  expect(found.map(({ metadata }) => metadata?.name)).toEqual(["shop-shards", "shop-shards-a1"]);
  expect(await shardLeases(client, operator)).toEqual([]);
});

test("deploy --dry-run shows what would be created, changed and left alone", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  const [first] = installObjects(operator);
  expect(await previewObject(client, first!, "test")).toBe("create Namespace shop-system");
  for (const object of installObjects(operator)) await applyObject(client, object, "test");
  const previews = await Promise.all(
    installObjects(operator).map((object) => previewObject(client, object, "test")),
  );
  expect(previews.filter((text) => !text.startsWith("unchanged "))).toEqual([]);
  const next = operatorOf(operator.definition, { ...settings, image: "registry.example/shop:2" });
  const changed = await Promise.all(
    installObjects(next).map((object) => previewObject(client, object, "test")),
  );
  expect(changed.filter((text) => !text.startsWith("unchanged "))).toEqual([
    expect.stringMatching(
      /^change Deployment shop-system\/shop-controller-manager\n[\s\S]*- +image: registry\.example\/shop:1\n[\s\S]*\+ +image: registry\.example\/shop:2/,
    ),
  ]);
});

test("undeploy deletes the namespace that deploy has made, unless something of others is in it", async () => {
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  const { client } = cluster;
  expect(await isMissing(client, namespace)).toBe(true);
  for (const object of installObjects(operator).filter(({ kind }) => kind === "Namespace"))
    await applyObject(client, markedAsOwn(object), "test");
  await client.create(Secret, { metadata: { name: "mine", namespace } });
  expect(await deleteOwnNamespace(client, operator)).toBe("Namespace shop-system stays: it has Secret mine");
  await client.delete(Secret, "mine", { namespace });
  expect(await deleteOwnNamespace(client, operator)).toBe("deleted Namespace shop-system");
  const others = operatorOf(operator.definition, { ...settings, namespace: "default" });
  expect(await deleteOwnNamespace(client, others)).toBeUndefined();
});

test("explain-reconcile ends when the pod does not answer, and says where to look", async () => {
  const silent: PortHandler = async ({ received }) => {
    for await (const _chunk of received);
  };
  await using cluster = await started({ rules: [rule({}, { portForward: silent })] });
  await deploy(cluster);
  await waited(cluster);
  const asking = askPod(cluster.client, operator, "/debug/explain", {
    serviceAccount: undefined,
    timeout: 300,
  });
  await expect(asking).rejects.toThrow(
    /pod shop-system\/\S+ does not answer on port 8443 within 0\.3 s; kubewright doctor/,
  );
});

test("explain-reconcile ends when a manager on this machine does not answer, or is not there", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const ask = () => askAddress(`http://127.0.0.1:${port}`, "/debug/explain", { timeout: 300 });
  await expect(ask()).rejects.toThrow(
    `the manager at http://127.0.0.1:${port} does not answer within 0.3 s; kubewright run starts one`,
  );
  silent.closeAllConnections();
  silent.close();
  await once(silent, "close");
  await expect(ask()).rejects.toThrow(`the manager at http://127.0.0.1:${port} cannot be reached`);
});

test("explain-reconcile shows reconciles that wrote before those that did not", () => {
  const record = (id: number, writes: number) =>
    ({ id, writes: Array(writes).fill({ verb: "apply" }), events: [] }) as unknown as Parameters<
      typeof mostTelling
    >[0][number];
  const history = [record(1, 0), record(2, 0), record(3, 1), record(4, 0), record(5, 2)];
  expect(mostTelling(history, 3)).toMatchObject([{ id: 3 }, { id: 5 }, { id: 1 }]);
});
