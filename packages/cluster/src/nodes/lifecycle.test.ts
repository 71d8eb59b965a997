import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { Simulation, shell } from "./fixtures/simulation.js";
import { rule } from "./rules/check-rule.js";

const namespace = "default";
const image = "web:1";

describe("init containers and sidecars", () => {
  test("an init container that fails is retried", async () => {
    await using simulation = await Simulation.start();
    await simulation.run({}, { initContainers: [{ name: "init", image, ...shell("exit 4") }] });
    expect(await simulation.container("init")).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: "CrashLoopBackOff" } },
    });
    expect((await simulation.pod()).status?.phase).toBe("Pending");
    expect((await simulation.container()).state?.waiting?.reason).toBe("PodInitializing");
  });

  test("with restartPolicy Never a failed init container fails the pod", async () => {
    await using simulation = await Simulation.start();
    const initContainers = [{ name: "init", image, ...shell("exit 4") }];
    const pod = await simulation.run({}, { restartPolicy: "Never", initContainers });
    expect(pod.status?.phase).toBe("Failed");
  });

  test("containers after a sidecar wait until it has started, and it ends after them", async () => {
    await using simulation = await Simulation.start();
    const startupProbe = { httpGet: { port: 1 }, initialDelaySeconds: 10 };
    const initContainers = [{ name: "proxy", image, restartPolicy: "Always", startupProbe }];
    await simulation.run(shell("sleep 5"), { restartPolicy: "Never", initContainers });
    expect((await simulation.container()).state?.waiting).toBeDefined();
    await simulation.after(10);
    expect((await simulation.container()).state?.running).toBeDefined();
    expect((await simulation.container("proxy")).ready).toBe(true);
    await simulation.after(5);
    expect((await simulation.container("proxy")).state?.terminated?.exitCode).toBe(0);
    expect((await simulation.pod()).status?.phase).toBe("Succeeded");
  });
});

test("container restart rules decide by the exit code", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({ container: "c" }, { exit: { code: 42, after: "1s", times: 1 } })],
  });
  const restartPolicyRules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
  await simulation.run({ restartPolicy: "Never", restartPolicyRules });
  await simulation.after(1);
  expect(await simulation.container()).toMatchObject({ restartCount: 1, state: { running: {} } });
});

test("an ephemeral container joins a running pod", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const ephemeralContainers = [{ name: "debug", image: "busybox", ...shell("sleep 3; exit 2") }];
  await simulation.cluster.client.patch(
    Pod,
    "p",
    { strategic: { spec: { ephemeralContainers } } },
    { namespace, subresource: "ephemeralcontainers" },
  );
  expect((await simulation.container("debug")).state?.running).toBeDefined();
  await simulation.after(3);
  expect((await simulation.container("debug")).state?.terminated?.exitCode).toBe(2);
  expect(await simulation.isReady()).toBe(true);
});

test("a preStop hook delays the end of the pod", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({ lifecycle: { preStop: { sleep: { seconds: 8 } } } });
  await simulation.cluster.client.delete(Pod, "p", { namespace });
  expect((await simulation.after(7)).status?.containerStatuses?.[0]?.state?.running).toBeDefined();
  await simulation.clock.advance(1000);
  expect((await simulation.cluster.client.list(Pod)).items).toEqual([]);
});

test("a pod past its activeDeadlineSeconds fails", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({}, { activeDeadlineSeconds: 60 });
  expect((await simulation.after(59)).status?.phase).toBe("Running");
  expect((await simulation.after(1)).status).toMatchObject({
    phase: "Failed",
    reason: "DeadlineExceeded",
    message: "Pod was active on the node longer than the specified deadline",
  });
  await simulation.cluster.client.delete(Pod, "p", { namespace });
  await simulation.clock.settle();
  expect((await simulation.cluster.client.list(Pod)).items).toEqual([]);
});

test("terminationMessagePolicy FallbackToLogsOnError: the end of the log becomes the message", async () => {
  await using simulation = await Simulation.start();
  const terminationMessagePolicy = "FallbackToLogsOnError";
  const container = { ...shell("echo no such table; exit 1"), terminationMessagePolicy } as const;
  await simulation.run(container, { restartPolicy: "Never" });
  expect((await simulation.container()).state?.terminated?.message).toBe("no such table\n");
});

test("a new image restarts the container that runs it", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const strategic = { spec: { containers: [{ name: "c", image: "web:2" }] } };
  await simulation.cluster.client.patch(Pod, "p", { strategic }, { namespace });
  expect(await simulation.container()).toMatchObject({
    image: "web:2",
    imageID: expect.stringMatching(/^web:2@sha256:/),
    restartCount: 1,
  });
  expect(await simulation.events()).toContain("Killing: Container c definition changed, will be restarted");
});

test("the status of a running container has user, mounts and resources", async () => {
  await using simulation = await Simulation.start();
  const resources = { requests: { cpu: "100m" }, limits: { cpu: "200m" } };
  await simulation.run(
    { resources, volumeMounts: [{ name: "tmp", mountPath: "/tmp", readOnly: true }] },
    { volumes: [{ name: "tmp", emptyDir: {} }], securityContext: { runAsUser: 7, fsGroup: 9 } },
  );
  const status = await simulation.container();
  expect(status).toMatchObject({
    allocatedResources: { cpu: "100m" },
    resources,
    user: { linux: { uid: 7, gid: 0, supplementalGroups: [0, 9] } },
  });
  expect(status.volumeMounts).toContainEqual({
    name: "tmp",
    mountPath: "/tmp",
    readOnly: true,
    recursiveReadOnly: "Disabled",
  });
});

test("the status of a running container without requests has empty resources", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({});
  expect((await simulation.container()).resources).toEqual({});
});

describe("a pod waits without polling for", () => {
  const client = (simulation: Simulation) => simulation.cluster.client;
  const configMap = (data: Record<string, string>) => ({ metadata: { name: "settings", namespace }, data });

  test("a missing key of a ConfigMap in the environment", async () => {
    await using simulation = await Simulation.start();
    await client(simulation).create(ConfigMap, configMap({ other: "1" }));
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }];
    await simulation.run({ env });
    expect((await simulation.container()).state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: "couldn't find key a in ConfigMap default/settings",
    });
    await simulation.after(3600);
    await client(simulation).patch(ConfigMap, "settings", { merge: { data: { a: "1" } } }, { namespace });
    expect(await simulation.isReady()).toBe(true);
  });

  test("a missing Secret in a volume", async () => {
    await using simulation = await Simulation.start();
    await simulation.run({}, { volumes: [{ name: "keys", secret: { secretName: "keys" } }] });
    expect((await simulation.container()).state?.waiting?.reason).toBe("ContainerCreating");
    expect(await simulation.events()).toEqual([
      'FailedMount: MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
    ]);
    await client(simulation).create(Secret, { metadata: { name: "keys", namespace } });
    expect(await simulation.isReady()).toBe(true);
  });

  test("a missing claim", async () => {
    await using simulation = await Simulation.start({ controllers: ["serviceaccount"] });
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await simulation.run({}, { volumes, nodeName: "node-1" });
    expect(await simulation.events()).toEqual([
      expect.stringContaining('persistentvolumeclaims "data" not found'),
    ]);
    await client(simulation).create(PersistentVolumeClaim, {
      metadata: { name: "data", namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    expect(await simulation.isReady()).toBe(true);
  });
});

test.each([
  ["registry/does-not-exist:1", "Never", "ErrImageNeverPull"],
  ["registry/does-not-exist:1", "IfNotPresent", "ErrImagePull"],
  ["UPPER/case", "Always", "InvalidImageName"],
] as const)("image pull: image %s with policy %s: %s", async (name, imagePullPolicy, reason) => {
  await using simulation = await Simulation.start();
  await simulation.run({ image: name, imagePullPolicy });
  expect((await simulation.container()).state?.waiting?.reason).toBe(reason);
});

test("a message from the log has no end of line that was not written", async () => {
  await using simulation = await Simulation.start();
  const terminationMessagePolicy = "FallbackToLogsOnError";
  await simulation.run(
    { ...shell("echo first; echo -n DONE; false"), terminationMessagePolicy },
    { restartPolicy: "Never" },
  );
  expect((await simulation.container()).state?.terminated?.message).toBe("first\nDONE");
});
