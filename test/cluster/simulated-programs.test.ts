// What people try first on simulated nodes: small programs that print, write files, and end in some way.
import {
  type Container,
  Job,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  StorageClass,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";
const shell = (script: string) => ({ command: ["sh", "-c", script] });

async function run(
  cluster: VirtualCluster,
  name: string,
  container: Partial<Container>,
  spec: Partial<PodSpec> = {},
): Promise<Pod> {
  const containers = [{ name: "c", image: "busybox", ...container }];
  const body = { restartPolicy: "Never" as const, ...spec, containers };
  await cluster.client.create(Pod, { metadata: { name, namespace }, spec: body });
  await cluster.rest();
  return cluster.client.get(Pod, name, { namespace });
}

async function log(cluster: VirtualCluster, pod: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of cluster.client.pods.log(pod, { namespace })) lines.push(line);
  return lines;
}
const first = ({ status }: Pod) => status?.containerStatuses?.[0];

test("busybox with arguments alone runs them: `-- echo hi` ends well with `hi` in its log", async () => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, "l", { args: ["echo", "hi"] });
  expect(pod.status?.phase).toBe("Succeeded");
  expect(await log(cluster, "l")).toEqual(["hi"]);
});

test("arguments of an image with a program of its own are that program's", async () => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, "web", { image: "nginx:1.27", args: ["echo", "hi"] });
  expect(pod.status?.phase).toBe("Running");
});

test("$(NAME) in commands stands for the variables of the container", async () => {
  await using cluster = await VirtualCluster.start();
  const env = [{ name: "A", value: "b" }];
  await run(cluster, "l", { env, command: ["echo"], args: ["$(A)", "$(NOPE)", "$$(A)"] });
  expect(await log(cluster, "l")).toEqual(["b $(NOPE) $(A)"]);
});

test("each pod of an indexed Job knows its index", async () => {
  await using cluster = await VirtualCluster.start();
  const script = 'if [ "$JOB_COMPLETION_INDEX" = 1 ]; then exit 3; else echo "$JOB_COMPLETION_INDEX"; fi';
  await cluster.client.create(Job, {
    metadata: { name: "j", namespace },
    spec: {
      completions: 3,
      parallelism: 3,
      completionMode: "Indexed",
      backoffLimitPerIndex: 0,
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox", ...shell(script) }] },
      },
    },
  });
  await cluster.rest();
  const { status } = await cluster.client.get(Job, "j", { namespace });
  expect(status).toMatchObject({ succeeded: 2, completedIndexes: "0,2", failedIndexes: "1" });
});

test("files on a claim are there for the next pod, those on an emptyDir only for the same one", async () => {
  await using cluster = await VirtualCluster.start();
  await cluster.client.create(PersistentVolumeClaim, {
    metadata: { name: "data", namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const volumes = [
    { name: "data", persistentVolumeClaim: { claimName: "data" } },
    { name: "scratch", emptyDir: {} },
  ];
  const volumeMounts = [
    { name: "data", mountPath: "/data" },
    { name: "scratch", mountPath: "/scratch" },
  ];
  const script =
    "if [ -f /data/seen ]; then cat /data/seen; else echo first > /data/seen; fi; ls /scratch; touch /scratch/own";
  const initContainers = [
    { name: "i", image: "busybox", volumeMounts, ...shell("echo x > /scratch/from-init") },
  ];
  await run(cluster, "a", { volumeMounts, ...shell(script) }, { volumes, initContainers });
  await run(cluster, "b", { volumeMounts, ...shell(script) }, { volumes, initContainers });
  expect(await log(cluster, "a")).toEqual(["from-init"]);
  expect(await log(cluster, "b")).toEqual(["first", "from-init"]);
});

test("the termination message is what the program wrote to its file", async () => {
  await using cluster = await VirtualCluster.start();
  const pod = await run(cluster, "m", shell("echo -n disk full > /dev/termination-log; exit 4"));
  expect(first(pod)?.state?.terminated).toMatchObject({ exitCode: 4, message: "disk full" });
});

test("a probe that runs a program finds what that ends with, as files come and go", async () => {
  await using cluster = await VirtualCluster.start();
  const livenessProbe = { exec: { command: ["cat", "/tmp/healthy"] }, periodSeconds: 5, failureThreshold: 1 };
  const script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600";
  await run(cluster, "live", { livenessProbe, ...shell(script) }, { restartPolicy: "Always" });
  const restarts = async () => first(await cluster.client.get(Pod, "live", { namespace }))?.restartCount;
  await cluster.clock.advance(29_000);
  expect(await restarts()).toBe(0);
  await cluster.clock.advance(10_000);
  expect(await restarts()).toBe(1);
  expect(await cluster.events("Pod")).toContain(
    "Unhealthy: Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory",
  );
});

test("a readiness probe that can only fail never succeeds", async () => {
  await using cluster = await VirtualCluster.start();
  const readinessProbe = { exec: { command: ["/bin/false"] } };
  await run(cluster, "never", { image: "web:1", readinessProbe });
  await cluster.clock.advance(3_600_000);
  const pod = await cluster.client.get(Pod, "never", { namespace });
  expect(first(pod)).toMatchObject({ ready: false, started: true });
});

test("a container is ready after its postStart hook, and starts again when that fails", async () => {
  await using cluster = await VirtualCluster.start();
  const lifecycle = { postStart: { exec: { command: ["sh", "-c", "sleep 5"] } } };
  const slow = await run(cluster, "slow", { image: "web:1", lifecycle });
  expect(first(slow)).toMatchObject({ ready: false, state: { running: expect.anything() } });
  await cluster.clock.advance(5000);
  expect(first(await cluster.client.get(Pod, "slow", { namespace }))?.ready).toBe(true);
  const failing = { postStart: { exec: { command: ["sh", "-c", "exit 2"] } } };
  const bad = await run(cluster, "bad", { image: "web:1", lifecycle: failing }, { restartPolicy: "Always" });
  expect(first(bad)).toMatchObject({ restartCount: 1, ready: false });
  expect(await cluster.events("Pod")).toContain(
    "FailedPostStartHook: PostStartHook failed: command 'sh -c exit 2' exited with 2",
  );
});

test("without a default storage class claims wait for volumes made by hand", async () => {
  await using cluster = await VirtualCluster.start({ defaultStorageClass: "none" });
  const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  await cluster.client.create(PersistentVolumeClaim, { metadata: { name: "data", namespace }, spec });
  await cluster.client.create(PersistentVolume, {
    metadata: { name: "by-hand" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/data" } },
  });
  await cluster.rest();
  const claim = await cluster.client.get(PersistentVolumeClaim, "data", { namespace });
  expect(claim).toMatchObject({ spec: { volumeName: "by-hand" }, status: { phase: "Bound" } });
});

test("the default storage class has the name that it is given", async () => {
  await using cluster = await VirtualCluster.start({ defaultStorageClass: "fast" });
  const { items } = await cluster.client.list(StorageClass);
  expect(items.map(({ metadata }) => [metadata?.name, metadata?.annotations])).toEqual([
    ["fast", { "storageclass.kubernetes.io/is-default-class": "true" }],
  ]);
});
