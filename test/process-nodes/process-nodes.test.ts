// Real programs on process nodes: a Node.js server, shell scripts, and what a pod is promised around them. Runs in every way to keep
// pods apart that this machine has; the others are counted as skipped.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  ConfigMap,
  Deployment,
  Event,
  Job,
  PersistentVolumeClaim,
  Pod,
  type Probe,
  Secret,
  Service,
  StatefulSet,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alikeTests } from "./alike.js";
import { threadTests } from "./cluster-thread.js";
import { inClusterTests } from "./in-cluster.js";
import { kubectlTests } from "./kubectl.js";
import { leftBehindTests } from "./left-behind.js";
import { eventually, foreignProcesses, isLong, modes, namespace, ProcessCluster } from "./process-cluster.js";

/** Answers with its name and what it was asked; ends in order when it is told to. */
const server = `
const { createServer } = require("node:http");
const s = createServer((q, r) => { if (q.url === "/bad") r.statusCode = 500; r.end(process.env.HOSTNAME + " " + q.url + "\\n"); });
s.listen(8080, () => console.log("listening"));
process.on("SIGTERM", () => { console.log("bye"); process.exit(0); });
`;
const web = (probe?: Probe) => ({
  name: "web",
  image: "node:20",
  command: ["node", "-e", server],
  ports: [{ name: "http", containerPort: 8080 }],
  ...(probe ? { readinessProbe: probe } : {}),
});
/** Where etcd is, if it is: on the PATH, or as a variable says. */
const etcd = process.env["KUBEWRIGHT_ETCD"] ?? onPath("etcd");
function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}
/** A program in a folder that containers have anew. */
const tool = join(mkdtempSync(join(tmpdir(), "kubewright-tool-")), "tool");
writeFileSync(tool, "#!/bin/sh\necho tool $@\n", { mode: 0o755 });
afterAll(() => rmSync(dirname(tool), { recursive: true }));

const quick = { periodSeconds: 1, failureThreshold: 30 };
const shell = (script: string, more: object = {}) => ({
  name: "c",
  image: "busybox",
  command: ["sh", "-c", script],
  ...more,
});
const fetchText = (url: string): string =>
  `node -e 'fetch("${url}").then((r) => r.text()).then((t) => process.stdout.write(t), (e) => { console.error(e.cause ?? e); process.exit(1); })'`;

/** `grpc.health.v1.Health`: serves in general and for a service of that name, does not for `sick`, and knows no others. */
const healthServer = (serving: string): string => `
const serving = ${JSON.stringify(serving)};
const server = require("node:http2").createServer();
server.on("stream", (stream, headers) => {
  const parts = [];
  stream.on("data", (part) => parts.push(part));
  stream.on("end", () => {
    const message = Buffer.concat(parts).subarray(5);
    // A length above 127 takes two bytes.
    const name = message.subarray(message.length > 129 ? 3 : 2).toString();
    const reply = { ":status": 200, "content-type": "application/grpc" };
    const status = { "": 1, [serving]: 1, sick: 2 }[name];
    if (headers[":path"] !== "/grpc.health.v1.Health/Check" || status === undefined)
      return stream.respond({ ...reply, "grpc-status": 5, "grpc-message": "unknown%20service" }, { endStream: true });
    stream.respond(reply, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": 0 }));
    stream.end(Buffer.of(0, 0, 0, 0, 2, 8, status));
  });
});
server.listen(9090);
`;

describe.each(modes)("process nodes $name", ({ userNamespace, missing }) => {
  describe
    .skipIf(missing !== undefined)
    .concurrent(missing ?? "this machine has them", { timeout: 60_000 }, () => {
      let nodes: ProcessCluster;
      let before: ReadonlyMap<number, string>;

      beforeAll(async () => {
        before = foreignProcesses();
        nodes = await ProcessCluster.start({
          userNamespace,
          images: [
            ...(etcd === undefined ? [] : [{ image: "etcd", programs: { etcd }, command: ["etcd"] }]),
            { image: "example.com/tool:1*", programs: { "/tool": tool }, entrypoint: ["/tool"] },
          ],
        });
        console.log(nodes.runtime.isolation.join("\n"));
      }, 30_000);

      afterAll(async () => {
        expect(nodes.problems).toEqual([]);
        await nodes.close();
        await eventually(
          async () => [...foreignProcesses().keys()].every((pid) => before.has(pid)),
          () => `left behind: ${[...foreignProcesses()].filter(([pid]) => !before.has(pid)).join("\n")}`,
        );
      }, 30_000);

      test("a Deployment and its Service answer by name, spread over their pods", async () => {
        const labels = { app: "web" };
        const probe = { httpGet: { path: "/ready", port: "http" }, ...quick };
        await nodes.client.create(Deployment, {
          metadata: { name: "web", namespace },
          spec: {
            replicas: 2,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { terminationGracePeriodSeconds: 1, containers: [web(probe)] },
            },
          },
        });
        await nodes.client.create(Service, {
          metadata: { name: "web", namespace },
          spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] },
        });
        await nodes.until(Deployment, "web", ({ status }) => status?.availableReplicas === 2);
        await nodes.endpoints("web", 2);
        const ask = [1, 2, 3, 4]
          .map((at) => fetchText(`http://web.default.svc.cluster.local/${at}`))
          .join("; ");
        await nodes.client.create(Job, {
          metadata: { name: "ask", namespace },
          spec: {
            template: {
              spec: {
                restartPolicy: "Never",
                containers: [shell(`${ask}; ${fetchText("http://web/")}`, { image: "node:20" })],
              },
            },
          },
        });
        await nodes.until(Job, "ask", ({ status }) => status?.succeeded === 1);
        const { items } = await nodes.client.list(Pod, { namespace, labelSelector: "job-name=ask" });
        const lines = await nodes.log(items[0]?.metadata?.name ?? "");
        expect(lines.map((line) => line.split(" ")[1])).toEqual(["/1", "/2", "/3", "/4", "/"]);
        expect(new Set(lines.map((line) => line.split(" ")[0])).size).toBe(2);
        await nodes.client.delete(Deployment, "web", { namespace });
        await nodes.client.delete(Job, "ask", { namespace, propagationPolicy: "Background" });
      });

      test("pods of a StatefulSet know each other by name and keep their files", async () => {
        await nodes.client.create(Service, {
          metadata: { name: "peers", namespace },
          spec: {
            clusterIP: "None",
            publishNotReadyAddresses: true,
            selector: { app: "peers" },
            ports: [{ name: "http", port: 8080 }],
          },
        });
        const template = {
          metadata: { labels: { app: "peers" } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                ...web({ tcpSocket: { port: 8080 }, ...quick }),
                command: ["sh", "-c", 'echo "$HOSTNAME" >> /data/starts; exec node -e "$SERVER"'],
                env: [{ name: "SERVER", value: server }],
                volumeMounts: [{ name: "data", mountPath: "/data" }],
              },
            ],
          },
        };
        await nodes.client.create(StatefulSet, {
          metadata: { name: "peers", namespace },
          spec: {
            serviceName: "peers",
            replicas: 2,
            selector: { matchLabels: { app: "peers" } },
            template,
            volumeClaimTemplates: [
              {
                metadata: { name: "data" },
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            ],
          },
        });
        await nodes.until(StatefulSet, "peers", ({ status }) => status?.readyReplicas === 2);
        const asked = await nodes.exec("peers-0", ["sh", "-c", fetchText("http://peers-1.peers:8080/hello")]);
        expect(asked).toEqual({ output: "peers-1 /hello\n", code: 0 });
        const { metadata } = await nodes.client.get(Pod, "peers-1", { namespace });
        await nodes.client.delete(Pod, "peers-1", { namespace });
        await nodes.until(Pod, "peers-1", (pod) => pod.metadata?.uid !== metadata?.uid);
        await nodes.ready("peers-1");
        expect((await nodes.exec("peers-1", ["cat", "/data/starts"])).output).toBe("peers-1\npeers-1\n");
        expect((await nodes.exec("peers-0", ["cat", "/data/starts"])).output).toBe("peers-0\n");
        // The other's new address has its old name.
        expect(
          await nodes.exec("peers-0", ["sh", "-c", fetchText("http://peers-1.peers:8080/again")]),
        ).toEqual({
          output: "peers-1 /again\n",
          code: 0,
        });
        await nodes.client.delete(StatefulSet, "peers", { namespace });
        for (const name of ["data-peers-0", "data-peers-1"])
          await nodes.client.delete(PersistentVolumeClaim, name, { namespace });
      });

      test("a pod is a place of its own: name, processes, address, files", async () => {
        const script = `hostname; cat /proc/1/comm; touch /usr/mark /tmp/mark; ls /tmp; ip -4 -o addr show dev eth0 | cut -d' ' -f7; pwd; echo "$POD_IP $(cat /labels/labels)"`;
        await nodes.run(
          "place",
          {
            restartPolicy: "Never",
            volumes: [
              {
                name: "labels",
                downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] },
              },
            ],
            containers: [
              shell(script, {
                workingDir: "/srv/app",
                env: [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
                volumeMounts: [{ name: "labels", mountPath: "/labels" }],
              }),
            ],
          },
          { labels: { tier: "one" } },
        );
        const { status } = await nodes.finished("place");
        expect(await nodes.log("place")).toEqual([
          "place",
          "sh",
          "mark",
          `${status?.podIP}/32`,
          "/srv/app",
          `${status?.podIP} tier="one"`,
        ]);
        expect(status?.podIP).toMatch(/^10\.244\./);
        expect(readdirSync("/usr")).not.toContain("mark");
      });

      test("variables, ConfigMaps and Secrets are there, and files follow when they change", async () => {
        await nodes.client.create(ConfigMap, {
          metadata: { name: "conf", namespace },
          data: { "a.conf": "one", mode: "x" },
        });
        await nodes.client.create(Secret, {
          metadata: { name: "key", namespace },
          stringData: { key: "s3cret" },
        });
        await nodes.run("conf", {
          volumes: [
            { name: "conf", configMap: { name: "conf" } },
            { name: "key", secret: { secretName: "key", defaultMode: 0o400 } },
          ],
          containers: [
            shell("trap 'exit 0' TERM; while :; do sleep 0.1; done", {
              command: [
                "sh",
                "-c",
                'echo "$(GREETING)"; echo "$MODE"; trap "exit 0" TERM; while :; do sleep 0.1; done',
              ],
              env: [
                { name: "MODE", valueFrom: { configMapKeyRef: { name: "conf", key: "mode" } } },
                { name: "GREETING", value: "hello $(MODE)" },
              ],
              volumeMounts: [
                { name: "conf", mountPath: "/etc/app" },
                { name: "conf", mountPath: "/etc/one.conf", subPath: "a.conf" },
                { name: "key", mountPath: "/keys" },
              ],
            }),
          ],
        });
        await nodes.ready("conf");
        const read = async () =>
          (
            await nodes.exec("conf", [
              "sh",
              "-c",
              "cat /etc/app/a.conf /etc/one.conf /keys/key; stat -Lc %a /keys/key",
            ])
          ).output;
        expect(await read()).toBe("oneones3cret400\n");
        await nodes.client.patch(ConfigMap, "conf", { merge: { data: { "a.conf": "two" } } }, { namespace });
        await eventually(
          async () => (await read()) === "twoones3cret400\n",
          () => "the file did not change",
        );
        expect(await nodes.log("conf")).toEqual(["hello x", "x"]);
        await nodes.remove("conf");
      });

      test("exit codes, restarts, the log before, and the termination message are those of the program", async () => {
        await nodes.run("fails", {
          containers: [shell("echo run; echo -n broken > /dev/termination-log; exit 3")],
        });
        const { status } = await nodes.until(
          Pod,
          "fails",
          (pod) => (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1,
        );
        expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
          exitCode: 3,
          message: "broken",
        });
        expect(await nodes.log("fails", { previous: true })).toEqual(["run"]);
        await nodes.remove("fails");
      });

      test("containers end in order when they are told to, and are killed when their time is over", async () => {
        const polite = shell('trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.1; done');
        const deaf = shell('trap "" TERM; echo up; while :; do sleep 0.1; done', { name: "deaf" });
        const lifecycle = {
          postStart: { exec: { command: ["sh", "-c", "echo started > /tmp/hook"] } },
          preStop: { exec: { command: ["sh", "-c", "cat /tmp/hook > /dev/termination-log"] } },
        };
        await nodes.run("ends", {
          terminationGracePeriodSeconds: 3,
          containers: [{ ...polite, lifecycle }, deaf],
        });
        for (const container of ["c", "deaf"])
          await eventually(
            async () =>
              (await nodes.log("ends", { container }).catch((): readonly string[] => [])).includes("up"),
            () => `${container} is not up`,
          );
        await nodes.client.patch(
          Pod,
          "ends",
          { merge: { spec: { activeDeadlineSeconds: 1 } } },
          { namespace },
        );
        const { status } = await nodes.finished("ends");
        const [first, second] = status?.containerStatuses ?? [];
        expect(first?.state?.terminated).toMatchObject({ exitCode: 7, message: "started\n" });
        expect(second?.state?.terminated).toMatchObject({ exitCode: 137 });
        expect(await nodes.log("ends", { container: "c" })).toEqual(["up", "bye"]);
        await nodes.remove("ends");
      });

      test("init containers and sidecars go before, in order", async () => {
        const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
        const add = (name: string, more = "") =>
          shell(`echo ${name} >> /shared/order; ${more}`, { name, volumeMounts });
        const startupProbe = { exec: { command: ["test", "-f", "/shared/side"] }, ...quick };
        await nodes.run("order", {
          restartPolicy: "Never",
          volumes: [{ name: "shared", emptyDir: { medium: "Memory" } }],
          initContainers: [
            add("first"),
            {
              ...add("side", "sleep 0.3; touch /shared/side; exec sleep 100"),
              restartPolicy: "Always",
              startupProbe,
            },
            add("second"),
          ],
          containers: [shell("cat /shared/order; stat -f -c %T /shared", { volumeMounts })],
        });
        expect((await nodes.finished("order")).status?.phase).toBe("Succeeded");
        expect(await nodes.log("order", { container: "c" })).toEqual(["first", "side", "second", "tmpfs"]);
      });

      test("exec, attach, a terminal, files in and out, and ports work", async () => {
        await nodes.run("tools", { containers: [{ ...web(), stdin: true }] });
        await nodes.ready("tools");
        await eventually(
          async () => (await nodes.log("tools")).includes("listening"),
          () => "not listening",
        );
        expect(await nodes.exec("tools", ["sh", "-c", "echo out; exit 4"])).toEqual({
          output: "out\n",
          code: 4,
        });
        const session = await nodes.client.pods.exec(
          "tools",
          ["sh", "-c", "tar xf - -C /tmp && cat /tmp/f"],
          {
            namespace,
            stdin: true,
          },
        );
        const { stdout: archive } = await (
          await nodes.client.pods.exec(
            "tools",
            ["sh", "-c", "cd /tmp; echo copied > f; tar cf - f | base64 -w0; rm f"],
            { namespace },
          )
        ).output();
        await session.write(Buffer.from(String(archive), "base64"));
        await session.end();
        expect((await session.output()).stdout).toBe("copied\n");
        expect(
          (await nodes.exec("tools", ["sh", "-c", "test -t 0 && tty"], { tty: true, stdin: true })).output,
        ).toBe("/dev/pts/0\r\n");
        const stream = await nodes.client.pods.portForward("tools", 8080, { namespace });
        stream.write("GET /forwarded HTTP/1.0\r\n\r\n");
        let answer = "";
        for await (const chunk of stream) answer += chunk;
        expect(answer).toContain("tools /forwarded");
        const proxied = await nodes.ask(`/api/v1/namespaces/${namespace}/pods/tools:8080/proxy/proxied?a=b`);
        expect(proxied).toBe("200 tools /proxied?a=b");
        expect(await nodes.ask(`/api/v1/namespaces/${namespace}/pods/tools:8081/proxy/`)).toMatch(
          /^503 .*connect: connection refused/,
        );
        await nodes.remove("tools");
      });

      test("a probe that fails restarts the container; one for readiness keeps it out of its Service", async () => {
        await nodes.run("sick", {
          containers: [web({ httpGet: { path: "/bad", port: 8080 }, periodSeconds: 1, failureThreshold: 1 })],
        });
        await nodes.run("dead", {
          containers: [
            {
              ...web(),
              livenessProbe: { exec: { command: ["false"] }, periodSeconds: 1, failureThreshold: 1 },
            },
          ],
        });
        await nodes.until(
          Pod,
          "dead",
          ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1,
        );
        const sick = await nodes.client.get(Pod, "sick", { namespace });
        expect(sick.status?.containerStatuses?.[0]).toMatchObject({ ready: false, started: true });
        const told = "Readiness probe failed: HTTP probe failed with statuscode: 500";
        await eventually(
          async () =>
            (await nodes.client.list(Event, { namespace })).items.some(({ message }) => message === told),
          () => "no event tells of the failed probe",
        );
        await nodes.remove("sick");
        await nodes.remove("dead");
      });

      test("gRPC probes ask for the health of a service", async () => {
        const long = "a.service.of.a.long.name".repeat(10);
        const probed = (name: string, service: string) =>
          shell("trap 'exit 0' TERM; while :; do sleep 0.1; done", {
            name,
            readinessProbe: { grpc: { port: 9090, service }, periodSeconds: 1 },
          });
        const health = {
          name: "health",
          image: "node:20",
          command: ["node", "-e", healthServer(long)],
          readinessProbe: { grpc: { port: 9090 }, ...quick },
        };
        await nodes.run("health", {
          containers: [health, probed("long", long), probed("sick", "sick"), probed("unknown", "other")],
        });
        const { status } = await nodes.until(Pod, "health", (pod) =>
          ["health", "long"].every(
            (name) => pod.status?.containerStatuses?.find((each) => each.name === name)?.ready,
          ),
        );
        const isReady = Object.fromEntries(
          (status?.containerStatuses ?? []).map(({ name, ready }) => [name, ready]),
        );
        expect(isReady).toEqual({ health: true, long: true, sick: false, unknown: false });
        const expected = [
          'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
          "Readiness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service",
        ];
        await eventually(
          async () => {
            const { items } = await nodes.client.list(Event, { namespace });
            return expected.every((text) => items.some(({ message }) => message === text));
          },
          () => "no events tell of the probes that failed",
        );
        await nodes.remove("health");
      });

      test("a pod in the network of its node has the address of the node", async () => {
        const listen = server.replace("8080", "8081");
        await nodes.run("host", {
          hostNetwork: true,
          containers: [
            {
              ...web({ tcpSocket: { port: 8081 }, ...quick }),
              command: ["node", "-e", listen],
              ports: [{ containerPort: 8081 }],
            },
          ],
        });
        const { status } = await nodes.ready("host");
        expect(status?.podIP).toBe(status?.hostIP);
        await nodes.run("guest", {
          restartPolicy: "Never",
          containers: [shell(fetchText(`http://${status?.hostIP}:8081/in`), { image: "node:20" })],
        });
        await nodes.finished("guest");
        expect(await nodes.log("guest")).toEqual(["host /in"]);
        await nodes.remove("host");
      });

      if (isLong || userNamespace) kubectlTests(() => nodes);
      inClusterTests(() => nodes);

      test("a program of the image map is in its place, wherever it is on this machine", async () => {
        await nodes.run("tool", {
          restartPolicy: "Never",
          containers: [{ name: "c", image: "example.com/tool:1.2", args: ["with", "words"] }],
        });
        expect((await nodes.finished("tool")).status?.phase).toBe("Succeeded");
        expect(await nodes.log("tool")).toEqual(["tool with words"]);
      });

      test("an image that is not in the map is simulated, and says so", async () => {
        await nodes.run("other", { containers: [{ name: "c", image: "example.com/unknown:1" }] });
        await nodes.ready("other");
        const { items } = await nodes.client.list(Event, { namespace });
        expect(items.map(({ message }) => message)).toContain(
          'No program of this machine stands for image "example.com/unknown:1": the container is simulated',
        );
        await nodes.remove("other");
      });

      test.skipIf(userNamespace)("runs as another user, with memory as its limit says", async () => {
        await nodes.run("user", {
          restartPolicy: "Never",
          securityContext: { runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456 },
          volumes: [{ name: "scratch", emptyDir: {} }],
          containers: [
            shell("id -u; id -g; touch /scratch/f && stat -c %u /scratch/f", {
              volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
            }),
          ],
        });
        await nodes.finished("user");
        expect(await nodes.log("user")).toEqual(["1234", "2345", "1234"]);
        const eat = "const a = []; for (;;) a.push(Buffer.alloc(1e6, 1));";
        await nodes.run("eats", {
          restartPolicy: "Never",
          containers: [
            {
              name: "c",
              image: "node:20",
              command: ["node", "-e", eat],
              resources: { limits: { memory: "96Mi" } },
            },
          ],
        });
        const { status } = await nodes.finished("eats");
        expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
          exitCode: 137,
          reason: "OOMKilled",
        });
      });

      test.skipIf(etcd === undefined)(
        "three members of etcd find each other by name, and outlive one of them",
        async () => {
          const env = [{ name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
          const peers = [0, 1, 2].map(
            (at) => `etcd-${at}=http://etcd-${at}.etcd.default.svc.cluster.local:2380`,
          );
          const url = (port: number) => `http://$(NAME).etcd.default.svc.cluster.local:${port}`;
          const flags = {
            name: "$(NAME)",
            "data-dir": "/data/etcd",
            "listen-peer-urls": "http://0.0.0.0:2380",
            "listen-client-urls": "http://0.0.0.0:2379",
            "initial-advertise-peer-urls": url(2380),
            "advertise-client-urls": url(2379),
            "initial-cluster": peers.join(","),
            "initial-cluster-state": "new",
            "unsafe-no-fsync": "true",
          };
          await nodes.client.create(Service, {
            metadata: { name: "etcd", namespace },
            spec: {
              clusterIP: "None",
              publishNotReadyAddresses: true,
              selector: { app: "etcd" },
              ports: [
                { name: "client", port: 2379 },
                { name: "peer", port: 2380 },
              ],
            },
          });
          const container = {
            name: "etcd",
            image: "quay.io/coreos/etcd:v3.5.21",
            command: ["etcd", ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
            env,
            startupProbe: { httpGet: { path: "/readyz", port: 2379 }, ...quick },
            readinessProbe: { grpc: { port: 2379 }, ...quick },
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          };
          await nodes.client.create(StatefulSet, {
            metadata: { name: "etcd", namespace },
            spec: {
              serviceName: "etcd",
              replicas: 3,
              podManagementPolicy: "Parallel",
              selector: { matchLabels: { app: "etcd" } },
              template: {
                metadata: { labels: { app: "etcd" } },
                spec: { terminationGracePeriodSeconds: 1, containers: [container] },
              },
              volumeClaimTemplates: [
                {
                  metadata: { name: "data" },
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
                },
              ],
            },
          });
          await nodes.until(StatefulSet, "etcd", ({ status }) => status?.readyReplicas === 3);
          const ask = (path: string, body: object): string =>
            `fetch("http://etcd.default.svc:2379/v3/${path}", { method: "POST", body: JSON.stringify(${JSON.stringify(body)}) }).then((r) => r.text()).then(console.log)`;
          const key = Buffer.from("key").toString("base64");
          const value = Buffer.from("value").toString("base64");
          await nodes.exec("etcd-0", [process.execPath, "-e", ask("kv/put", { key, value })]);
          const { metadata } = await nodes.client.get(Pod, "etcd-1", { namespace });
          await nodes.client.delete(Pod, "etcd-1", { namespace });
          await nodes.until(Pod, "etcd-1", (pod) => pod.metadata?.uid !== metadata?.uid);
          await nodes.ready("etcd-1");
          const read = await nodes.exec("etcd-1", [process.execPath, "-e", ask("kv/range", { key })]);
          expect(JSON.parse(read.output).kvs).toMatchObject([{ key, value }]);
          await nodes.client.delete(StatefulSet, "etcd", { namespace });
        },
      );

      test("a webhook server in a pod is called through its Service, by its TLS name", async () => {
        const authority = createCertificateAuthority({
          commonName: "an authority of their own",
          notBefore: Date.now() - 60_000,
          notAfter: Date.now() + 3_600_000,
        });
        const { certificate, key } = authority.issue({
          commonName: "hooks",
          hosts: ["hooks.default.svc"],
          usage: "server",
          notBefore: Date.now() - 60_000,
          notAfter: Date.now() + 3_600_000,
        });
        await nodes.client.create(Secret, {
          metadata: { name: "hooks", namespace },
          stringData: { "tls.crt": certificate, "tls.key": key },
        });
        const hook = `const { readFileSync: f } = require("node:fs");
        require("node:https").createServer({ cert: f("/tls/tls.crt"), key: f("/tls/tls.key") }, (q, r) => {
          let t = ""; q.on("data", (c) => (t += c)).on("end", () => {
            if (q.url === "/healthz") return r.end("ok");
            const { request } = JSON.parse(t); console.log(request.name);
            const allowed = request.name !== "bad";
            r.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid: request.uid, allowed, status: { message: "by the pod" } } }));
          });
        }).listen(8443);`;
        await nodes.client.create(Service, {
          metadata: { name: "hooks", namespace },
          spec: { selector: { app: "hooks" }, ports: [{ port: 443, targetPort: 8443 }] },
        });
        await nodes.run(
          "hooks",
          {
            volumes: [{ name: "tls", secret: { secretName: "hooks" } }],
            containers: [
              {
                name: "c",
                image: "node:20",
                command: ["node", "-e", hook],
                volumeMounts: [{ name: "tls", mountPath: "/tls" }],
                readinessProbe: { httpGet: { scheme: "HTTPS", path: "/healthz", port: 8443 }, ...quick },
              },
            ],
          },
          { labels: { app: "hooks" } },
        );
        await nodes.ready("hooks");
        await nodes.client.create(ValidatingWebhookConfiguration, {
          metadata: { name: "hooks" },
          webhooks: [
            {
              name: "hooks.example.com",
              admissionReviewVersions: ["v1"],
              sideEffects: "None",
              clientConfig: {
                service: { namespace, name: "hooks", path: "/check" },
                caBundle: Buffer.from(authority.certificate).toString("base64"),
              },
              rules: [
                { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] },
              ],
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
            },
          ],
        });
        const make = (name: string) => nodes.client.create(ConfigMap, { metadata: { name, namespace } });
        await make("good");
        await eventually(
          async () => (await nodes.log("hooks")).includes("good"),
          () => "the webhook was not called",
        );
        await expect(make("bad")).rejects.toThrow("by the pod");
        await nodes.client.delete(ValidatingWebhookConfiguration, "hooks");
        await nodes.remove("hooks");
      });
    });
});

describe.each(modes)("what process nodes $name leave behind", leftBehindTests);

describe.each(modes.slice(0, 1))("on process nodes $name", alikeTests);

describe.each(modes.slice(-1))("process nodes $name", threadTests);
