import { Event, Lease, Node, Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { Simulation, shell } from "./fixtures/simulation.js";
import { lastSignOfLife } from "./heartbeats.js";
import { rule } from "./rules/check-rule.js";

const web = { labels: { app: "web" } };

test("rules: pull and start take as long as rules say, with their reasons", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({ image: "web:*" }, { pullTime: "3s", startLatency: "2s" })],
  });
  await simulation.run();
  expect((await simulation.container()).state?.waiting?.reason).toBe("ContainerCreating");
  await simulation.after(4);
  expect(await simulation.isReady()).toBe(false);
  await simulation.after(1);
  expect(await simulation.isReady()).toBe(true);
  expect(await simulation.events()).toEqual([
    'Pulling: Pulling image "web:1"',
    expect.stringMatching(
      /^Pulled: Successfully pulled image "web:1" in 3s \(3s including waiting\)\. Image size: \d+ bytes\.$/,
    ),
    "Created: Container created",
    "Started: Container started",
  ]);
});

test("rules: neverReady makes a pod not ready until the rule is removed", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({}, {}, web.labels);
  expect(await simulation.isReady()).toBe(true);
  const handle = simulation.cluster.simulate(rule(web, { neverReady: true }));
  expect(await simulation.isReady()).toBe(false);
  expect((await simulation.pod()).status?.phase).toBe("Running");
  handle.remove();
  expect(await simulation.isReady()).toBe(true);
});

test("rules: a running container is OOM-killed at once, and restarts", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  await simulation.after(30);
  simulation.cluster.simulate(rule({ container: "c" }, { oomKill: { times: 1 } }));
  const status = await simulation.container();
  expect(status).toMatchObject({ restartCount: 1, ready: true, state: { running: {} } });
  expect(status.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
});

test("rules: a crash loop backs off, with the exit code and the message of the rule", async () => {
  const crashLoop = { after: "2s", exitCode: 7, message: "no database" };
  await using simulation = await Simulation.start({ rules: [rule({ name: "p" }, { crashLoop })] });
  await simulation.run();
  expect(await simulation.isReady()).toBe(true);
  await simulation.after(2);
  expect(await simulation.container()).toMatchObject({ restartCount: 1, state: { running: {} } });
  await simulation.after(2);
  const status = await simulation.container();
  expect(status.state?.waiting).toMatchObject({
    reason: "CrashLoopBackOff",
    message: expect.stringMatching(/^back-off 10s restarting failed container=c pod=p_default\(/),
  });
  expect(status.lastState?.terminated).toMatchObject({
    exitCode: 7,
    reason: "Error",
    message: "no database",
  });
});

test("rules: exit ends a container that would run for ever, and runs keeps another running", async () => {
  await using simulation = await Simulation.start({
    rules: [rule({ container: "c" }, { exit: { after: "5s" } }), rule({ container: "d" }, { runs: true })],
  });
  const containers = [{ name: "d", image: "web:1", ...shell("exit 1") }];
  await simulation.run({}, { restartPolicy: "Never", containers });
  await simulation.after(5);
  expect((await simulation.container("c")).state?.terminated).toMatchObject({
    exitCode: 0,
    reason: "Completed",
  });
  expect((await simulation.container("d")).state?.running).toBeDefined();
});

test("rules: an image pull that a rule fails is retried until the rule is removed", async () => {
  await using simulation = await Simulation.start();
  const handle = simulation.cluster.simulate(rule({}, { pullError: "registry is on fire" }));
  await simulation.run();
  expect((await simulation.container()).state?.waiting).toEqual({
    reason: "ErrImagePull",
    message: "registry is on fire",
  });
  handle.remove();
  await simulation.after(20);
  expect(await simulation.isReady()).toBe(true);
});

test("rules: stopping takes as long as rules say; what outlasts its grace period is killed", async () => {
  await using simulation = await Simulation.start({ rules: [rule({}, { stopTime: "40s" })] });
  await simulation.run();
  await simulation.cluster.client.delete(Pod, "p", { namespace: "default" });
  expect((await simulation.after(29)).status?.phase).toBe("Running");
  const seen: unknown[] = [];
  const watch = simulation.cluster.client.watch(Pod, { namespace: "default" });
  const watching = (async () => {
    for await (const { object } of watch)
      seen.push(object.status?.containerStatuses?.[0]?.state?.terminated?.exitCode);
  })();
  await simulation.clock.advance(1000);
  expect((await simulation.cluster.client.list(Pod)).items).toEqual([]);
  await watch.return?.();
  await watching;
  expect(seen).toContain(137);
});

test("rules: a pod deleted with a longer grace period runs until its containers stop, with a new generation", async () => {
  await using simulation = await Simulation.start({ rules: [rule({}, { stopTime: "40s" })] });
  const { metadata } = await simulation.run();
  await simulation.cluster.client.delete(Pod, "p", { namespace: "default", gracePeriodSeconds: 60 });
  const terminating = await simulation.after(39);
  expect(terminating.status?.phase).toBe("Running");
  expect(terminating.metadata?.deletionGracePeriodSeconds).toBe(60);
  expect(terminating.metadata?.generation).toBe((metadata?.generation ?? 0) + 1);
  await simulation.clock.advance(1000);
  expect((await simulation.cluster.client.list(Pod)).items).toEqual([]);
});

test("rules: an evicted pod is Failed, and not deleted", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({}, {}, web.labels);
  simulation.cluster.simulate(rule(web, { evict: { message: "The node was low on resource: memory." } }));
  const { status } = await simulation.pod();
  expect(status).toMatchObject({
    phase: "Failed",
    reason: "Evicted",
    message: "The node was low on resource: memory.",
  });
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
  );
});

const nodeEvents = async ({ cluster }: Simulation) =>
  (await cluster.client.list(Event)).items
    .filter(({ involvedObject }) => involvedObject.kind === "Node")
    .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ reason, message }) => `${reason}: ${message}`);

test("rules: cordoning and uncordoning a node records events", async () => {
  await using simulation = await Simulation.start({ controllers: ["scheduler"] });
  for (const unschedulable of [true, null]) {
    await simulation.cluster.client.patch(Node, "node-1", { merge: { spec: { unschedulable } } });
    await simulation.clock.settle();
  }
  expect(await nodeEvents(simulation)).toEqual([
    "NodeNotSchedulable: Node node-1 status is now: NodeNotSchedulable",
    "NodeSchedulable: Node node-1 status is now: NodeSchedulable",
  ]);
});

describe("rules: a node that is down", () => {
  const down = rule({ node: "node-1" }, { nodeDown: true });
  const lease = (simulation: Simulation) =>
    simulation.cluster.client.get(Lease, "node-1", { namespace: "kube-node-lease" });

  test("renews no lease, and its pods stay as they are until it is back", async () => {
    await using simulation = await Simulation.start({ controllers: ["scheduler", "serviceaccount"] });
    await simulation.run();
    const handle = simulation.cluster.simulate(down);
    await simulation.clock.settle();
    const since = simulation.clock.now();
    simulation.cluster.simulate(rule({}, { neverReady: true }));
    await simulation.cluster.client.delete(Pod, "p", { namespace: "default" });
    await simulation.after(3600);
    expect(await simulation.isReady()).toBe(true);
    expect(lastSignOfLife(await lease(simulation), simulation.clock.now())).toBe(since);
    handle.remove();
    await simulation.clock.settle();
    expect((await simulation.cluster.client.list(Pod)).items).toEqual([]);
    expect(lastSignOfLife(await lease(simulation), simulation.clock.now())).toBe(simulation.clock.now());
  });

  test("becomes Unknown, and Ready again once it is back", async () => {
    await using simulation = await Simulation.start({ controllers: ["-taint-eviction-controller"] });
    const readiness = async () =>
      (await simulation.nodes())[0]?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
    await simulation.run();
    const handle = simulation.cluster.simulate(down);
    await simulation.after(30);
    expect(await readiness()).toBe("True");
    await simulation.after(60);
    expect(await readiness()).toBe("Unknown");
    expect(await simulation.isReady()).toBe(false);
    handle.remove();
    expect(await simulation.isReady()).toBe(true);
    expect(await readiness()).toBe("True");
    await simulation.after(600);
    expect(await simulation.isReady()).toBe(true);
    expect((await simulation.nodes())[0]?.spec?.taints).toBeUndefined();
    expect(await nodeEvents(simulation)).toEqual([
      "RegisteredNode: Node node-1 event: Registered Node node-1 in Controller",
      "NodeNotReady: Node node-1 status is now: NodeNotReady",
      "NodeReady: Node node-1 status is now: NodeReady",
    ]);
  });

  test("starts the pods it was assigned meanwhile once it is back", async () => {
    await using simulation = await Simulation.start({ rules: [] });
    const handle = simulation.cluster.simulate(down);
    expect((await simulation.run()).status?.containerStatuses).toBeUndefined();
    handle.remove();
    expect(await simulation.isReady()).toBe(true);
    const [node] = await simulation.nodes();
    expect(node?.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(await simulation.cluster.client.get(Node, "node-1")).toBeDefined();
  });
});
