// Process nodes without network namespaces: pods share the network of this machine, each at a loopback address of its own, which its
// address in the API stands for. And machines that cannot have process nodes at all.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment, Job, Pod, Service, StatefulSet } from "@kubewright/api";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inClusterTests } from "./in-cluster.js";
import {
  eventually,
  foreignProcesses,
  modes,
  namespace,
  oneMode,
  ProcessCluster,
} from "./process-cluster.js";

const server = `require("node:http").createServer((q, r) => r.end(process.env.HOSTNAME + " " + q.url + "\\n")).listen(8080, process.env.POD_IP)`;
const ask = (url: string): string =>
  `node -e 'fetch("${url}").then((r) => r.text()).then((t) => process.stdout.write(t))'`;
const podIP = { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
const web = {
  name: "web",
  image: "node:20",
  command: ["node", "-e", server],
  env: [podIP],
  readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1, failureThreshold: 30 },
};
const workload = (app: string, replicas: number) => ({
  replicas,
  selector: { matchLabels: { app } },
  template: {
    metadata: { labels: { app } },
    spec: { terminationGracePeriodSeconds: 1, containers: [web] },
  },
});

describe.each(oneMode)("process nodes $name, on loopback addresses", ({ userNamespace, missing }) => {
  describe
    .skipIf(missing !== undefined)
    .concurrent(missing ?? "this machine has them", { timeout: 60_000 }, () => {
      let nodes: ProcessCluster;
      let before: ReadonlyMap<number, string>;

      beforeAll(async () => {
        before = foreignProcesses();
        nodes = await ProcessCluster.start({ userNamespace, network: "loopback" });
        console.log(nodes.runtime.isolation.join("\n"));
      }, 30_000);

      afterAll(async () => {
        // Only root can listen at ports below 1024, as that of the API server's Service is.
        const others = nodes.problems.filter((each) => !/:443: listen EACCES/.test(each));
        await nodes.close();
        expect(others).toEqual([]);
        await eventually(
          async () => [...foreignProcesses().keys()].every((pid) => before.has(pid)),
          () => `left behind: ${[...foreignProcesses()].filter(([pid]) => !before.has(pid)).join("\n")}`,
        );
      }, 30_000);

      test("says what isolation it has", () => {
        expect(nodes.runtime.isolation.join("\n")).toContain("namespaces: mount, pid, uts, ipc; no net");
        expect(nodes.runtime.isolation.join("\n")).toContain("every pod has a loopback address");
      });

      test("pods have addresses of the pod range, and answer at the same port behind a Service", async () => {
        await nodes.client.create(Deployment, {
          metadata: { name: "web", namespace },
          spec: workload("web", 2),
        });
        await nodes.client.create(Service, {
          metadata: { name: "web", namespace },
          spec: { selector: { app: "web" }, ports: [{ port: 8000, targetPort: 8080 }] },
        });
        await nodes.until(Deployment, "web", ({ status }) => status?.availableReplicas === 2);
        const script = [
          ask("http://web:8000/1"),
          ask("http://web.default.svc.cluster.local:8000/2"),
          `url="http://$WEB_SERVICE_HOST:$WEB_SERVICE_PORT/3"; ${ask("'\"$url\"'")}`,
        ].join("; ");
        await nodes.client.create(Job, {
          metadata: { name: "ask", namespace },
          spec: {
            template: {
              spec: {
                restartPolicy: "Never",
                containers: [{ name: "c", image: "node:20", command: ["sh", "-c", script] }],
              },
            },
          },
        });
        await nodes.until(Job, "ask", ({ status }) => status?.succeeded === 1);
        const { items } = await nodes.client.list(Pod, { namespace, labelSelector: "job-name=ask" });
        const lines = await nodes.log(items[0]?.metadata?.name ?? "");
        expect(lines.map((line) => line.split(" ")[1])).toEqual(["/1", "/2", "/3"]);
        expect(new Set(lines.map((line) => line.split(" ")[0])).size).toBe(2);
        const pods = await nodes.client.list(Pod, { namespace, labelSelector: "app=web" });
        for (const { metadata, status } of pods.items) {
          expect(status?.podIP).toMatch(/^10\.244\./);
          const { output } = await nodes.exec(metadata?.name ?? "", ["sh", "-c", "echo $POD_IP"]);
          expect(output).toMatch(/^127\./);
        }
        await nodes.client.delete(Deployment, "web", { namespace });
      });

      test("pods of a StatefulSet find each other by name, and by their new addresses", async () => {
        await nodes.client.create(Service, {
          metadata: { name: "peers", namespace },
          spec: { clusterIP: "None", selector: { app: "peers" }, ports: [{ port: 8080 }] },
        });
        await nodes.client.create(StatefulSet, {
          metadata: { name: "peers", namespace },
          spec: { ...workload("peers", 2), serviceName: "peers" },
        });
        await nodes.until(StatefulSet, "peers", ({ status }) => status?.readyReplicas === 2);
        const hello = () => nodes.exec("peers-0", ["sh", "-c", ask("http://peers-1.peers:8080/hello")]);
        const answer = { output: "peers-1 /hello\n", code: 0 };
        expect(await hello()).toEqual(answer);
        const { metadata } = await nodes.client.get(Pod, "peers-1", { namespace });
        await nodes.client.delete(Pod, "peers-1", { namespace });
        await nodes.until(Pod, "peers-1", (pod) => pod.metadata?.uid !== metadata?.uid);
        await nodes.ready("peers-1");
        await eventually(
          async () => (await hello()).output === answer.output,
          () => "peers-1 is not found at its new address",
        );
        await nodes.client.delete(StatefulSet, "peers", { namespace });
      });

      inClusterTests(() => nodes);

      test("ports are forwarded", async () => {
        await nodes.run("door", { containers: [web] });
        await nodes.ready("door");
        const stream = await nodes.client.pods.portForward("door", 8080, { namespace });
        stream.write("GET /forwarded HTTP/1.0\r\n\r\n");
        let answer = "";
        for await (const chunk of stream) answer += chunk;
        expect(answer).toContain("door /forwarded");
        await nodes.remove("door");
      });
    });
});

test("an image map with a program that is not there is refused, and named", async () => {
  const images = [{ image: "etcd", programs: { etcd: "/nowhere/etcd" } }];
  await expect(ProcessCluster.start({ images })).rejects.toThrow(
    "image map: there is no /nowhere/etcd, which is to be etcd of image etcd",
  );
});

describe("machines with less", () => {
  const isPossible = modes[1]?.missing === undefined;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubewright-machine-"));
    await build({
      absWorkingDir: join(import.meta.dirname, "../.."),
      stdin: {
        contents: `import { findIsolation } from "./packages/cluster/src/nodes/process/machine.ts";
          findIsolation().then(({ tools, ...found }) => console.log(JSON.stringify(found)), (error) => console.log(error.message));`,
        resolveDir: join(import.meta.dirname, "../.."),
      },
      outfile: join(folder, "isolation.cjs"),
      bundle: true,
      format: "cjs",
      platform: "node",
      logLevel: "error",
    });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What is found out in a user namespace after a preparation that takes something away. */
  const within = (preparation: string, flags = "-Ur"): string => {
    const script = `${preparation} ${process.execPath} ${join(folder, "isolation.cjs")}`;
    const { stdout, stderr } = spawnSync("unshare", [flags, "sh", "-c", script], { encoding: "utf8" });
    return `${stdout}${stderr}`;
  };

  test.skipIf(!isPossible)("without network namespaces pods get loopback addresses, and why is said", () => {
    const found = JSON.parse(within("echo 0 > /proc/sys/user/max_net_namespaces;"));
    expect(found).toMatchObject({ network: "loopback", otherUsers: false });
    expect(found.noBridge).toMatch(/as this user: .*; in a user namespace: .*No space left on device/);
  });

  test.skipIf(!isPossible)("a program that is missing is named, with its package", () => {
    const hidden = (name: string): string =>
      within(`mount --bind ${join(folder, "isolation.cjs")} "$(realpath "$(command -v ${name})")";`, "-Urm");
    expect(JSON.parse(hidden("ip"))).toMatchObject({ network: "loopback" });
    expect(hidden("ip")).toContain("ip is missing (package iproute2)");
    expect(hidden("nsenter")).toMatch(
      /^process nodes need nsenter \(package util-linux\); install them, or go on/,
    );
  });

  test.skipIf(!isPossible)("without any namespaces it refuses, with what is missing and how to go on", () => {
    const said = within("setpriv --inh-caps=-all --bounding-set=-all");
    expect(said).toMatch(/^process nodes need Linux namespaces, which could not be made \(as this user: /);
    expect(said).toContain("Run as root, or allow user namespaces");
    expect(said).toContain("go on with simulated nodes (--runtime simulated, the default)");
  });
});
