import { ConfigMap, Pod, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { Simulation, shell } from "./fixtures/simulation.js";

const namespace = "default";

async function log(simulation: Simulation): Promise<readonly string[]> {
  await simulation.clock.settle();
  const lines: string[] = [];
  for await (const line of simulation.cluster.client.pods.log("p", { namespace })) lines.push(line);
  return lines;
}

async function fileOf(simulation: Simulation, path: string): Promise<string> {
  const session = await simulation.cluster.client.pods.exec("p", ["cat", path], { namespace });
  return (await session.output()).stdout;
}

test("environment: a container has the variables of Services, and with enableServiceLinks false only those of the API server", async () => {
  await using simulation = await Simulation.start();
  const { spec } = await simulation.cluster.client.create(Service, {
    metadata: { name: "big-db", namespace },
    spec: { ports: [{ port: 8765, targetPort: 8080 }], selector: { app: "db" } },
  });
  await simulation.run(shell("env"), { restartPolicy: "Never" });
  const lines = await log(simulation);
  expect(lines).toContain(`BIG_DB_SERVICE_HOST=${spec?.clusterIP}`);
  expect(lines).toContain(`BIG_DB_PORT_8765_TCP=tcp://${spec?.clusterIP}:8765`);
  expect(lines).toContain("KUBERNETES_SERVICE_PORT=443");
  await simulation.cluster.client.delete(Pod, "p", { namespace });
  await simulation.clock.settle();
  await simulation.run(shell("env"), { restartPolicy: "Never", enableServiceLinks: false });
  const fewer = await log(simulation);
  expect(fewer).toContain("KUBERNETES_SERVICE_PORT=443");
  expect(fewer.filter((line) => line.startsWith("BIG_DB"))).toEqual([]);
});

test("variables may begin with a digit", async () => {
  await using simulation = await Simulation.start();
  await simulation.cluster.client.create(ConfigMap, {
    metadata: { name: "map", namespace },
    data: { "data-1": "one" },
  });
  await simulation.run(
    { ...shell("env"), envFrom: [{ prefix: "1-", configMapRef: { name: "map" } }] },
    { restartPolicy: "Never" },
  );
  expect(await log(simulation)).toContain("1-data-1=one");
});

test("the hosts file has the pod, and the names its spec adds", async () => {
  await using simulation = await Simulation.start();
  const hostAliases = [{ ip: "10.1.2.3", hostnames: ["db.local", "db"] }];
  const pod = await simulation.run(shell("cat /etc/hosts"), {
    restartPolicy: "Never",
    hostname: "one",
    subdomain: "set",
    hostAliases,
  });
  const lines = await log(simulation);
  expect(lines[0]).toBe("# Kubernetes-managed hosts file.");
  expect(lines).toContain(`${pod.status?.podIP}\tone.set.default.svc.cluster.local\tone`);
  expect(lines.slice(-2)).toEqual(["# Entries added by HostAliases.", "10.1.2.3\tdb.local\tdb"]);
});

test("a part of a volume that is mounted is a folder of the whole", async () => {
  await using simulation = await Simulation.start();
  const volumeMounts = [
    { name: "work", mountPath: "/part", subPath: "logs/today" },
    { name: "work", mountPath: "/whole" },
  ];
  const script =
    "test -d /whole/logs/today && ls /whole; mkdir /part/late; ls /whole/logs/today; rm -r /whole/logs; ls /whole";
  await simulation.run(
    { ...shell(script), volumeMounts },
    { restartPolicy: "Never", volumes: [{ name: "work", emptyDir: {} }] },
  );
  expect(await log(simulation)).toEqual(["logs", "late"]);
});

test("pods of a node share what they mount of it, at its path; other nodes have their own", async () => {
  await using simulation = await Simulation.start({ nodes: 2 });
  const volumes = [{ name: "host", hostPath: { path: "/var/lib/shared/" } }];
  const run = async (name: string, nodeName: string, script: string, mountPath = "/data") => {
    await simulation.cluster.client.create(Pod, {
      metadata: { name, namespace },
      spec: {
        nodeName,
        restartPolicy: "Never",
        volumes: name === "whole" ? [{ name: "host", hostPath: { path: "/" } }] : volumes,
        containers: [
          { name: "c", image: "busybox", ...shell(script), volumeMounts: [{ name: "host", mountPath }] },
        ],
      },
    });
    return (await simulation.pod(name)).status?.phase;
  };
  expect(await run("first", "node-1", "touch /data/mark")).toBe("Succeeded");
  expect(await run("second", "node-1", "test -f /data/mark")).toBe("Succeeded");
  expect(await run("whole", "node-1", "test -f /host/var/lib/shared/mark", "/host")).toBe("Succeeded");
  expect(await run("other", "node-2", "test -f /data/mark")).toBe("Failed");
});

test("a read-only root can be written nowhere but in volumes and in the termination message", async () => {
  await using simulation = await Simulation.start();
  const script = "echo no > /file; echo yes > /work/file && echo last words > /dev/termination-log";
  await simulation.run(
    {
      command: ["/bin/sh", "-c", script],
      securityContext: { readOnlyRootFilesystem: true },
      volumeMounts: [{ name: "work", mountPath: "/work" }],
    },
    { restartPolicy: "Never", volumes: [{ name: "work", emptyDir: {} }] },
  );
  expect(await log(simulation)).toEqual(["/bin/sh: can't create /file: Read-only file system"]);
  const { state } = await simulation.container();
  expect(state?.terminated).toMatchObject({ exitCode: 0, message: "last words\n" });
});

test("programs run as the user and groups of the container, or of its pod", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(
    { ...shell("id"), securityContext: { runAsUser: 65534 } },
    { restartPolicy: "Never", securityContext: { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 } },
  );
  expect(await log(simulation)).toEqual(["uid=65534 gid=3000 groups=3000,2000"]);
});

test("a container sees what it may use, also after a resize in place", async () => {
  await using simulation = await Simulation.start();
  const resources = { requests: { cpu: "100m", memory: "32Mi" }, limits: { cpu: "200m", memory: "64Mi" } };
  await simulation.run({ resources });
  const read = (file: string): Promise<string> => fileOf(simulation, `/sys/fs/cgroup/${file}`);
  expect(await read("cpu.max")).toBe("20000 100000\n");
  expect(await read("cpu.weight")).toBe("4\n");
  expect(await read("memory.max")).toBe("67108864\n");
  const container = { name: "c", resources: { limits: { cpu: "300m", memory: "64Mi" } } };
  const strategic = { spec: { containers: [container] } };
  await simulation.cluster.client.patch(Pod, "p", { strategic }, { namespace, subresource: "resize" });
  await simulation.clock.settle();
  expect(await read("cpu.max")).toBe("30000 100000\n");
});

test("clients find the token of the service account, the authority and the namespace in a container", async () => {
  await using simulation = await Simulation.start();
  const pod = await simulation.run();
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  expect(await fileOf(simulation, `${folder}/namespace`)).toBe("default");
  expect(await fileOf(simulation, `${folder}/ca.crt`)).toContain("BEGIN CERTIFICATE");
  const token = await fileOf(simulation, `${folder}/token`);
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  expect(claims).toMatchObject({
    sub: "system:serviceaccount:default:default",
    "kubernetes.io": { pod: { name: "p", uid: pod.metadata?.uid } },
  });
});

test("hosts files: a pod on the network of its node has that of the node, a mounted one is the node's own", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(
    {
      ...shell("cat /etc/hosts /etc/hosts-of-node"),
      volumeMounts: [{ name: "hosts", mountPath: "/etc/hosts-of-node" }],
    },
    {
      restartPolicy: "Never",
      hostNetwork: true,
      volumes: [{ name: "hosts", hostPath: { path: "/etc/hosts", type: "File" } }],
    },
  );
  expect(await log(simulation)).toEqual([
    "# Kubernetes-managed hosts file (host network).",
    "127.0.0.1\tlocalhost",
    "127.0.0.1\tlocalhost",
  ]);
});
