// The conditions of application kinds are true at every moment, not only at the end: these tests look at their history.
import { type Condition, Deployment, type KubeObject, Pod, Service } from "@kubewright/api";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, type OperatorUnderTest, operators, running, settled } from "./operators.js";

const namespace = "default";

interface Observed extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** Records every state that the object goes through from now on. */
function historyOf(cluster: TestCluster, operator: OperatorUnderTest) {
  const seen: Observed[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    const events = cluster.client.watch(kindOf(operator), { namespace, signal: stop.signal });
    for await (const { type, object } of events) if (type === "MODIFIED") seen.push(object as Observed);
  })().catch(() => undefined);
  return {
    seen,
    statuses: (type: string) => seen.map(({ status }) => conditionIn(status?.conditions, type)?.status),
    async stop() {
      stop.abort();
      await watching;
    },
  };
}

const conditionIn = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.find((condition) => condition.type === type);

async function conditionOf(cluster: TestCluster, operator: OperatorUnderTest, type: string) {
  const object = (await cluster.get(kindOf(operator), "web")) as Observed;
  return conditionIn(object.status?.conditions, type);
}

const patch = (cluster: TestCluster, operator: OperatorUnderTest, spec: object) =>
  cluster.client.patch(kindOf(operator), "web", { merge: { spec } as never }, { namespace });

/** Waits until the second generation of the object is what runs. */
const rolledOut = (cluster: TestCluster, operator: OperatorUnderTest) =>
  cluster.eventually(kindOf(operator), "web", (object) => {
    const { status } = object as Observed;
    const progressing = conditionIn(status?.conditions, "Progressing");
    return status?.observedGeneration === 2 && progressing?.status === "False";
  });

const refuseDeployments = (cluster: TestCluster, operator: OperatorUnderTest) =>
  cluster.faults.fail(
    { verb: "patch", resource: "deployments", client: operator.name },
    { code: 422, reason: "Invalid", message: 'Deployment.apps "web" is invalid: spec: Invalid value' },
    { times: 1_000 },
  );

describe.each(operators)("$name", (operator) => {
  const Kind = kindOf(operator);

  test("stays Available through a rollout, and reports it while it is under way", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const history = historyOf(cluster, operator);
    await patch(cluster, operator, operator.change);
    await rolledOut(cluster, operator);
    await history.stop();
    expect(history.statuses("Available")).not.toContain("False");
    expect(history.statuses("Progressing")).toContain("True");
    for (const { metadata, status } of history.seen) {
      const progressing = conditionIn(status?.conditions, "Progressing");
      const isAboutLatest = status?.observedGeneration === metadata?.generation;
      if (isAboutLatest && progressing?.status === "False") expect(status?.updatedReplicas).toBe(2);
    }
  });

  test("reports a rollout that misses its progress deadline as Degraded", async () => {
    await using cluster = await testCluster({ ...running(operator), leaks: "ignore" });
    cluster.simulate({ namespace }, { neverReady: true });
    await operator.prepare?.(cluster);
    await create(cluster, operator, "web");
    await cluster.condition(Kind, "web", "Degraded", "True", { timeout: "30m" });
    expect(await conditionOf(cluster, operator, "Degraded")).toMatchObject({
      reason: "ProgressDeadlineExceeded",
      message: expect.stringContaining("has timed out progressing"),
    });
    expect(await conditionOf(cluster, operator, "Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
    });
    expect(await conditionOf(cluster, operator, "Available")).toMatchObject({ status: "False" });
  });

  test("is not Available when its Deployment is another's", async () => {
    await using cluster = await testCluster(running(operator));
    const labels = { app: "theirs" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "theirs:1" }] } };
    await cluster.create(Deployment, { name: "web", spec: { selector: { matchLabels: labels }, template } });
    await operator.prepare?.(cluster);
    await create(cluster, operator, "web");
    await cluster.condition(Kind, "web", "Degraded");
    expect(await conditionOf(cluster, operator, "Available")).toMatchObject({
      status: "False",
      reason: "NameTaken",
    });
    expect(await conditionOf(cluster, operator, "Progressing")).toMatchObject({
      status: "True",
      reason: "NameTaken",
    });
  });

  test("does not report a refused change as rolled out", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const fault = refuseDeployments(cluster, operator);
    const history = historyOf(cluster, operator);
    await patch(cluster, operator, operator.change);
    await cluster.condition(Kind, "web", "Degraded");
    expect(await conditionOf(cluster, operator, "Progressing")).toMatchObject({
      status: "True",
      reason: "Refused",
    });
    expect(await conditionOf(cluster, operator, "Available")).toMatchObject({ status: "True" });
    const { status } = (await cluster.get(Kind, "web")) as Observed;
    expect(status).toMatchObject({ observedGeneration: 2, updatedReplicas: 0 });
    fault.remove();
    await cluster.condition(Kind, "web", "Degraded", "False");
    await cluster.condition(Kind, "web", "Progressing", "False");
    await history.stop();
    expect(history.statuses("Available")).not.toContain("False");
  });

  test("does not flip a condition for one error of the server", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const history = historyOf(cluster, operator);
    const fault = cluster.faults.fail(
      { verb: "patch", resource: "deployments", client: operator.name },
      { code: 500 },
      { times: 1 },
    );
    await patch(cluster, operator, operator.change);
    await rolledOut(cluster, operator);
    await history.stop();
    expect(fault.failed).toBe(1);
    expect(history.statuses("Available")).not.toContain("False");
    expect(history.statuses("Degraded")).not.toContain("True");
  });

  test("does not count pods that carry its label and are not its own", async () => {
    await using cluster = await testCluster({ ...running(operator), leaks: "ignore" });
    await settled(cluster, operator);
    const history = historyOf(cluster, operator);
    const { selector } = (await cluster.get(Deployment, "web")).spec!;
    const containers = [{ name: "c", image: "registry.example/does-not-exist:1" }];
    await cluster.create(Pod, {
      metadata: { name: "aaa-foreign", labels: selector.matchLabels ?? {} },
      spec: { containers },
    });
    await patch(cluster, operator, operator.change);
    await rolledOut(cluster, operator);
    await history.stop();
    expect(history.statuses("Degraded")).not.toContain("True");
    expect(JSON.stringify((await cluster.get(Kind, "web")) as Observed)).not.toContain("aaa-foreign");
  });
});

describe.each(operators.filter(({ children }) => children.includes(Service)))("$name", (operator) => {
  const Kind = kindOf(operator);

  test("heals its Service while its Deployment is refused", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    refuseDeployments(cluster, operator);
    await patch(cluster, operator, operator.change);
    await cluster.condition(Kind, "web", "Degraded");
    const { metadata } = await cluster.get(Service, "web");
    await cluster.delete(Service, "web");
    await cluster.eventually(Service, "web", (service) => service.metadata?.uid !== metadata?.uid);
  });

  test("heals its Deployment while its Service is refused", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    cluster.faults.fail(
      { verb: "patch", resource: "services", client: operator.name },
      { code: 422, reason: "Invalid", message: 'Service "web" is invalid' },
      { times: 1_000 },
    );
    await cluster.delete(Service, "web");
    await cluster.condition(Kind, "web", "Degraded");
    expect(await conditionOf(cluster, operator, "Available")).toMatchObject({ status: "False" });
    const { metadata } = await cluster.get(Deployment, "web");
    await cluster.delete(Deployment, "web");
    await cluster.eventually(Deployment, "web", (now) => now.metadata?.uid !== metadata?.uid);
  });
});
