// Simulated nodes for an API server in another process: registered, heard of in time, and reached through their kubelet port.
import { type RequestOptions, request } from "node:https";
import { ClusterRole, ClusterRoleBinding, Lease, Node, Pod, ServiceAccount } from "@kubewright/api";
import { type Client, clientFromKubeConfig, parseKubeConfig } from "@kubewright/client";
import { type ExternalNodes, managerLabel, startNodes } from "@kubewright/cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OtherProcess } from "../process-nodes/other-process.js";
import { eventually } from "../process-nodes/process-cluster.js";

const namespace = "default";
let server: OtherProcess;
let client: Client;
let nodes: ExternalNodes;
const problems: string[] = [];

beforeAll(async () => {
  server = await OtherProcess.start("{ nodes: 1 }");
  const config = await parseKubeConfig(server.kubeconfig, "the other process");
  client = clientFromKubeConfig(config);
  const [name = ""] = config.users.keys();
  nodes = await startNodes({
    client,
    actAs: (user, groups) => {
      const impersonate = { user, groups };
      return clientFromKubeConfig({
        ...config,
        users: new Map([[name, { ...config.users.get(name), impersonate }]]),
      });
    },
    nodes: Array.from({ length: 20 }, (_, at) => ({
      name: `simulated-${at + 1}`,
      zone: at % 2 === 0 ? "a" : "b",
      labels: { pool: "cheap" },
      taints: [{ key: "simulated", effect: "NoSchedule" as const }],
      capacity: { "example.com/gpu": "2" },
    })),
    selector: "keep=please",
    onError: (where, error) => problems.push(`${where}: ${error}`),
  });
}, 60_000);

afterAll(async () => {
  await nodes.close({ remove: true });
  const { items } = await client.list(Node);
  expect(items.map(({ metadata }) => metadata?.name)).toEqual(["by-hand", "node-1"]);
  await client.close();
  await server.stop();
  expect(problems).toEqual([]);
}, 60_000);

const run = (name: string, nodeName: string, script: string) =>
  client.create(Pod, {
    metadata: { name, namespace },
    spec: {
      nodeSelector: nodeName === "" ? { pool: "cheap" } : { "kubernetes.io/hostname": nodeName },
      tolerations: [{ key: "simulated", operator: "Exists" as const }],
      containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script] }],
    },
  });

async function running(name: string): Promise<Pod> {
  let pod: Pod | undefined;
  await eventually(
    async () => {
      pod = await client.get(Pod, name, { namespace });
      return pod.status?.phase === "Running";
    },
    () => `pod ${name}: ${JSON.stringify(pod?.status)}`,
  );
  return pod as Pod;
}

test("nodes are ready, with their zones, labels, taints and capacity", async () => {
  const { items } = await client.list(Node, {
    labelSelector: `${managerLabel}=kubewright,topology.kubernetes.io/zone=a`,
  });
  expect(items).toHaveLength(10);
  expect(items[0]?.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  expect(items[0]?.status?.capacity).toMatchObject({ cpu: "32", "example.com/gpu": "2" });
  expect(items[0]?.spec?.taints).toEqual([{ key: "simulated", effect: "NoSchedule" }]);
});

test("the certificate of the kubelet is the cluster's, and logs and programs go through it", async () => {
  expect(nodes.certificateProblem).toBeUndefined();
  await run("p", "simulated-3", "echo hi; sleep 1000");
  expect((await running("p")).spec?.nodeName).toBe("simulated-3");
  const lines: string[] = [];
  for await (const line of client.pods.log("p", { namespace })) lines.push(line);
  expect(lines).toEqual(["hi"]);
  const session = await client.pods.exec("p", ["sh", "-c", "hostname; exit 3"], { namespace });
  expect(await session.output()).toEqual({ stdout: "p\n", stderr: "", exitCode: 3 });
  const stream = await client.pods.portForward("p", 80, { namespace });
  stream.write("GET /x HTTP/1.0\r\n\r\n");
  let answer = "";
  for await (const chunk of stream) answer += chunk;
  expect(answer).toContain("pod default/p, port 80");
});

test("the kubelet answers nobody else", async () => {
  const answer = await fetchInsecure(`${nodes.kubeletUrl}/containerLogs/default/p/c`);
  expect(answer).toBe(401);
});

test("the kubelet reads no body, and runs no program for somebody who may only look", async () => {
  await client.create(ServiceAccount, { metadata: { name: "looker", namespace } });
  await client.create(ClusterRole, {
    metadata: { name: "looker" },
    rules: [{ apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "looker" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "looker" },
    subjects: [{ kind: "ServiceAccount", name: "looker", namespace }],
  });
  const token = await tokenOf("looker");
  const authorization = `Bearer ${token}`;
  const url = new URL(nodes.kubeletUrl);
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    statusOf({ method, path, headers, host: url.hostname, port: url.port }, body);
  expect(await ask("GET", "/pods", { authorization })).toBe(200);
  expect(await ask("GET", "/containerLogs/default/p/c", { authorization })).toBe(200);
  for (const action of ["exec", "attach", "portForward"]) {
    expect(await ask("POST", `/${action}/default/p/c?command=sh`, { authorization })).toBe(403);
    const upgrade = { connection: "Upgrade", upgrade: "websocket" };
    expect(await ask("GET", `/${action}/default/p/c?command=sh`, { authorization, ...upgrade })).toBe(403);
  }
  expect(await ask("GET", "/logs/", { authorization })).toBe(403);
  // The body never ends, and is answered all the same.
  expect(await ask("POST", "/pods", { "content-length": "3000000" }, "x")).toBe(401);
});

test("the nodes of others stay theirs, except those that the selector names", async () => {
  await client.create(Node, {
    metadata: { name: "by-hand", labels: { keep: "please", "kubernetes.io/hostname": "by-hand" } },
  });
  await eventually(
    async () =>
      (await client.get(Node, "by-hand")).status?.conditions?.some(
        ({ type, status }) => type === "Ready" && status === "True",
      ) ?? false,
    () => "by-hand is not ready",
  );
  await run("q", "by-hand", "sleep 1000");
  expect((await running("q")).status?.hostIP).toBe("127.0.0.1");
  expect((await client.get(Node, "node-1")).metadata?.labels).not.toHaveProperty([managerLabel]);
});

test("leases are renewed in time, as every client sees", { timeout: 30_000 }, async () => {
  const renewed = async () =>
    (await client.get(Lease, "simulated-20", { namespace: "kube-node-lease" })).spec?.renewTime;
  const first = await renewed();
  await eventually(
    async () => (await renewed()) !== first,
    () => "the lease was not renewed",
    15_000,
  );
});

async function tokenOf(name: string): Promise<string> {
  const { status } = await client.createToken(name, {}, { namespace });
  return status?.token ?? "";
}

/** The status, whatever the certificate; a body is begun and not ended. */
async function statusOf(options: RequestOptions, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, rejectUnauthorized: false, agent: false }, (response) => {
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on("error", reject);
    if (body === undefined) sent.end();
    else sent.write(body);
  });
}

/** The status, whatever the certificate. */
async function fetchInsecure(url: string): Promise<number> {
  const { get } = await import("node:https");
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on("error", reject);
  });
}
