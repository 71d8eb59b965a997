// The code of docs/guides/client.md and of the client's README, run against one embedded cluster: over TLS where the page connects, else
// in process. What a page prints is kept in `printed`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig as OfficialKubeConfig } from "@kubernetes/client-node";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Namespace,
  Pod,
  type PodTemplateSpec,
  Secret,
  ServiceAccount,
  StatefulSet,
} from "@kubewright/api";
import * as connecting from "@kubewright/client";
import {
  Client,
  clientFromKubeConfig,
  deleteOwned,
  hasCondition,
  type InClusterOptions,
  isAbsent,
  type KubeConfig,
  loadKubeConfig,
  type Middleware,
  metadataOnly,
  retryOnConflict,
  type UndiciTransportOptions,
  waitFor,
} from "@kubewright/client";
import { type Cluster, type Endpoint, rule, startCluster } from "@kubewright/cluster";
import { defineResource, z } from "@kubewright/schema";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "kubewright-client-guide-"));
const namespace = "shop";
const printed: string[] = [];
const console = {
  log: (...words: readonly unknown[]) => void printed.push(words.join(" ")),
  warn: (text: string) => void printed.push(text),
};

let cluster: Cluster;
let client: Client;
let endpoint: Endpoint;
/** The environment of the process that the page is about: its kubeconfig is that of the cluster, and so is its pod. */
let process: { readonly env: Readonly<Record<string, string>> };

const webPods: PodTemplateSpec = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "web:1" }] },
};

beforeAll(async () => {
  cluster = await startCluster({ rules: [rule({ image: "web:1" }, { logs: ["started"] })] });
  client = cluster.client;
  endpoint = await cluster.listen();
  writeFileSync(join(folder, "kubeconfig"), endpoint.kubeconfig.replaceAll(/\bkubewright\b/g, "staging"));
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ServiceAccount, { metadata: { name: "bot", namespace } });
  const { status } = await client.createToken("bot", {}, { namespace });
  const authority = await waitFor(client, ConfigMap, "kube-root-ca.crt", (map) => map !== undefined, {
    namespace,
  });
  writeFileSync(join(folder, "token"), status?.token ?? "");
  writeFileSync(join(folder, "ca.crt"), authority?.data?.["ca.crt"] ?? "");
  writeFileSync(join(folder, "namespace"), namespace);
  process = {
    env: {
      KUBECONFIG: join(folder, "kubeconfig"),
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_SERVICE_PORT: String(endpoint.port),
    },
  };
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template: webPods },
  });
});
beforeEach(() => void printed.splice(0));
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

/** In a pod the files of the service account are in a folder of the system; here they are in one of the test. */
const inClusterConfig = (options: InClusterOptions) =>
  connecting.inClusterConfig({ ...options, directory: folder });

/** The address that the page names stands for that of the cluster. */
const undiciTransport = (options: UndiciTransportOptions) =>
  connecting.undiciTransport({ ...options, server: endpoint.url });

test("docs/guides/client.md: connects by a kubeconfig", async () => {
  // The file given, or those in KUBECONFIG, or ~/.kube/config, or the service account of the pod this runs in.
  const config = await loadKubeConfig({ env: process.env, context: "staging" });
  await using client = clientFromKubeConfig(config);

  expect((await client.get(Namespace, namespace)).metadata?.name).toBe(namespace);
});

test("docs/guides/client.md: connects in a pod, by hand, in process, and as @kubernetes/client-node does", async () => {
  const { server } = cluster;
  const ca = (await client.get(ConfigMap, "kube-root-ca.crt", { namespace })).data?.["ca.crt"];
  const { status } = await client.createToken("bot", {}, { namespace });
  const token = status?.token;
  const officialKubeConfig = new OfficialKubeConfig();
  officialKubeConfig.loadFromString(endpoint.kubeconfig);

  // In a pod; the token and the authority are read again as they rotate.
  const inPod = clientFromKubeConfig(await inClusterConfig({ env: process.env }));

  // By hand.
  const byHand = new Client({
    transport: undiciTransport({ server: "https://10.0.0.1:6443", ca, token }),
    defaultNamespace: "shop",
  });

  // With no socket, in a test.
  const inProcess = new Client({ transport: server.transport() });

  // From a KubeConfig of @kubernetes/client-node, if you already have one.
  const adopted = clientFromKubeConfig(officialKubeConfig);

  for (const each of [inPod, byHand])
    await expect(each.get(Namespace, namespace)).rejects.toThrow('User "system:serviceaccount:shop:bot"');
  for (const each of [inProcess, adopted])
    expect((await each.get(Namespace, namespace)).metadata?.name).toBe(namespace);
  for (const each of [inPod, byHand, inProcess, adopted]) await each.close();
});

test("docs/guides/client.md: reads and writes", async () => {
  await client.create(Pod, { metadata: { name: "web-0", namespace }, spec: webPods.spec });

  const web = await client.get(Deployment, "web", { namespace: "shop" }); // typed as Deployment
  const pods = await client.list(Pod, { namespace: "shop", labelSelector: web.spec?.selector });
  for await (const pod of client.items(Pod, { pageSize: 200 })) console.log(pod.metadata?.name); // all namespaces, in pages

  await client.create(ConfigMap, {
    metadata: { name: "settings", namespace: "shop" },
    data: { mode: "fast" },
  });
  await client.apply(
    Deployment,
    { metadata: { name: "web", namespace: "shop" }, spec: { replicas: 3 } },
    { force: true },
  );
  await client.patch(ConfigMap, "settings", { merge: { data: { mode: null } } }, { namespace: "shop" });
  await client.delete(Pod, "web-0", { namespace: "shop", propagationPolicy: "Background" });

  expect(pods.items.length).toBeGreaterThan(0);
  expect(printed).toContain("web-0");
  expect((await client.get(Deployment, "web", { namespace })).spec?.replicas).toBe(3);
  expect((await client.get(ConfigMap, "settings", { namespace })).data).toBeUndefined();
});

test("docs/guides/client.md: watches, until the server ends the watch", async () => {
  const { metadata } = await client.list(Pod, { namespace });
  const resourceVersion = metadata?.resourceVersion;
  const watching = async () => {
    for await (const { type, object } of client.watch(Pod, {
      namespace: "shop",
      resourceVersion,
      allowWatchBookmarks: true,
    })) {
      console.log(type, object.metadata?.name);
    }
  };
  const watched = watching();
  await client.create(Pod, { metadata: { name: "seen", namespace }, spec: webPods.spec });
  await expect.poll(() => printed).toContain("ADDED seen");
  cluster.faults.cutWatches();
  await watched;
});

test("docs/guides/client.md: gets less than whole objects, and kinds known only at run time", async () => {
  const widgets = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    spec: z.object({ size: z.int() }),
  });
  await client.create(Secret, { metadata: { name: "key", namespace }, stringData: { key: "hidden" } });
  await client.create(CustomResourceDefinition, widgets.crd());
  await waitFor(client, CustomResourceDefinition, "widgets.example.com", hasCondition("Established"));
  await client.create(widgets, { metadata: { name: "a", namespace }, spec: { size: 3 } });

  const names = await client.list(metadataOnly(Secret), { namespace: "shop" }); // also get, watch, and informers
  const table = await client.table(Pod, { namespace: "shop" }); // what `kubectl get` prints

  expect(JSON.stringify(names.items)).toContain('"key"');
  expect(names.items.some((item) => "data" in item)).toBe(false);
  expect(table.columnDefinitions.map(({ name }) => name).slice(0, 3)).toEqual(["Name", "Ready", "Status"]);

  const Widget = await client.resource({ apiVersion: "example.com/v1", kind: "Widget" });
  await client.get(Widget, "a", { namespace: "shop" }); // an UntypedObject
  const all = await client.resources();

  expect(all.map(({ kind }) => kind)).toContain("Widget");
});

test("docs/guides/client.md: uses subresources", async () => {
  await client.create(StatefulSet, {
    metadata: { name: "web", namespace },
    spec: {
      replicas: 1,
      serviceName: "web",
      selector: { matchLabels: { set: "web" } },
      template: { ...webPods, metadata: { labels: { set: "web" } } },
    },
  });
  const isReady = hasCondition("Ready");
  const started = (before?: Pod) => {
    const isNext = (pod: Pod | undefined) => isReady(pod) && pod?.metadata?.uid !== before?.metadata?.uid;
    return waitFor(client, Pod, "web-0", isNext, { namespace, timeout: 10_000 });
  };
  const first = await started();

  await client.scale(Deployment, "web", 5, { namespace: "shop" });
  const { status } = await client.createToken("bot", { expirationSeconds: 600 }, { namespace: "shop" });
  await client.pods.evict("web-0", { namespace: "shop" });

  expect(status?.token).toMatch(/^ey/);
  const second = await started(first);
  const following = async () => {
    for await (const line of client.pods.log("web-0", { namespace: "shop", follow: true })) console.log(line);
  };
  const followed = following();
  await expect.poll(() => printed).toContain("started");
  await client.delete(Pod, "web-0", { namespace, gracePeriodSeconds: 0 });
  await followed;
  await started(second);

  const session = await client.pods.exec("web-0", ["cat", "/etc/hosts"], { namespace: "shop" });
  const { stdout, exitCode } = await session.output();

  expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining("localhost"), exitCode: 0 });

  const stream = await client.pods.portForward("web-0", 8080, { namespace: "shop" }); // a Duplex

  stream.write("GET / HTTP/1.0\r\n\r\n");
  const [answer] = (await stream.take(1).toArray()) as readonly Buffer[];
  expect(answer?.toString()).toMatch(/^HTTP\/1\.[01] 200/);
  stream.destroy();
  await client.delete(StatefulSet, "web", { namespace, propagationPolicy: "Background" });
});

test("docs/guides/client.md: has recipes", async () => {
  const owner = await client.get(Deployment, "web", { namespace });
  await client.create(ConfigMap, {
    metadata: {
      name: "cache",
      namespace,
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: "web",
          uid: owner.metadata?.uid ?? "",
          controller: true,
        },
      ],
    },
  });

  await waitFor(client, Deployment, "web", hasCondition("Available"), { namespace: "shop", timeout: 60_000 });
  await waitFor(client, Pod, "web-0", isAbsent, { namespace: "shop" });
  await deleteOwned(client, ConfigMap, "cache", owner, { namespace: "shop" }); // only if `owner` controls it
  await retryOnConflict(async () => {
    const settings = await client.get(ConfigMap, "settings", { namespace: "shop" });
    await client.update(ConfigMap, { ...settings, data: { ...settings.data, mode: "slow" } });
  });

  expect((await client.get(ConfigMap, "settings", { namespace })).data).toEqual({ mode: "slow" });
  await expect(client.get(ConfigMap, "cache", { namespace })).rejects.toThrow("not found");
});

test("docs/guides/client.md: wraps the transport", async () => {
  const config: KubeConfig = await loadKubeConfig({ env: process.env });
  const observed: object[] = [];
  const histogram = { observe: (labels: object, value: number) => void observed.push({ ...labels, value }) };

  const logged: Middleware = (next) => async (request) => {
    const response = await next(request);
    console.log(request.method, request.path, response.status);
    return response;
  };

  const watched = clientFromKubeConfig(config, {
    middleware: [logged],
    rateLimit: { qps: 20, burst: 40 }, // default: no limit
    onRequest: ({ verb, code, host, duration }) => histogram.observe({ verb, code, host }, duration / 1000),
    onWarning: (text) => console.warn(text), // each API warning once
  });

  await watched.get(Namespace, namespace);
  expect(printed).toEqual(["GET /api/v1/namespaces/shop 200"]);
  expect(observed).toEqual([expect.objectContaining({ verb: "get", code: "200" })]);
  await watched.close();
});

test("packages/client/README.md: gets and watches", async () => {
  const readme = async () => {
    const client = clientFromKubeConfig(await loadKubeConfig({ env: process.env }));
    const web = await client.get(Deployment, "web", { namespace: "shop" }); // typed as Deployment
    for await (const { type, object } of client.watch(Deployment, { namespace: "shop" }))
      console.log(type, object.metadata?.name);
    return [client, web] as const;
  };
  const read = readme();
  await expect.poll(() => printed).toContain("ADDED web");
  cluster.faults.cutWatches();
  const [own, web] = await read;
  expect(web.spec?.replicas).toBeGreaterThan(0);
  await own.close();
});
