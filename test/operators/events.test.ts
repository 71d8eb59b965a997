// What `kubectl describe` shows of an application object: its history in Events. And what was orphaned is taken back.
import { Deployment, EventsV1Event, PodDisruptionBudget, type Service } from "@kubewright/api";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, type OperatorUnderTest, operators, running, settled } from "./operators.js";

const namespace = "default";

/** The reasons of the Events about an object so far. */
async function reasonsOf(cluster: TestCluster, operator: OperatorUnderTest): Promise<readonly string[]> {
  await cluster.advance("1s");
  const events = await cluster.list(EventsV1Event);
  return events
    .filter(({ regarding }) => regarding?.kind === operator.kind && regarding.name === "web")
    .map(({ reason = "" }) => reason);
}

/** The field that `kubectl scale` sets. */
const sizeOf = ({ name }: OperatorUnderTest, size: number): object => {
  if (name === "application") return { deployment: { replicas: size } };
  return name === "modelbox" ? { replicas: size } : { size };
};

test("ModelBox: a part that is no longer wanted is deleted with an Event", async () => {
  const operator = operators.find(({ name }) => name === "modelbox")!;
  await using cluster = await testCluster(running(operator));
  await create(cluster, operator, "web", { ...operator.spec, podDisruptionBudget: { minAvailable: 1 } });
  await cluster.condition(kindOf(operator), "web", "Progressing", "False");
  await cluster.client.patch(
    kindOf(operator),
    "web",
    { merge: { spec: { podDisruptionBudget: null } } as never },
    { namespace },
  );
  await cluster.eventuallyGone(PodDisruptionBudget, "web");
  await cluster.advance("1s");
  const events = await cluster.list(EventsV1Event);
  const deleted = events.filter(({ reason, regarding }) => reason === "Deleted" && regarding?.name === "web");
  expect(deleted.map(({ note }) => note)).toEqual([
    "PodDisruptionBudget web deleted: it is no longer declared",
  ]);
});

describe.each(operators)("$name", (operator) => {
  const Kind = kindOf(operator);
  const patch = (cluster: TestCluster, spec: object) =>
    cluster.client.patch(Kind, "web", { merge: { spec } as never }, { namespace });

  test("records rollouts and scaling in Events, once each", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const rolledOut = (reasons: readonly string[]) =>
      reasons.filter((reason) => reason === "RolledOut").length;
    expect(rolledOut(await reasonsOf(cluster, operator))).toBe(1);
    await patch(cluster, sizeOf(operator, 3));
    await cluster.eventually(Deployment, "web", ({ status }) => status?.availableReplicas === 3);
    const events = await cluster.list(EventsV1Event);
    expect(events.find(({ reason }) => reason === "Scaled")).toMatchObject({
      type: "Normal",
      note: "Deployment web was scaled from 2 to 3",
      regarding: { kind: operator.kind, name: "web" },
    });
    const before = await reasonsOf(cluster, operator);
    await cluster.restartManager();
    await cluster.advance("10m");
    expect(await reasonsOf(cluster, operator)).toEqual(before);
  });

  test("records what its pods suffer from, and its recovery", async () => {
    await using cluster = await testCluster(running(operator));
    const rule = cluster.simulate({ namespace }, { pullError: "no such image" });
    await operator.prepare?.(cluster);
    await create(cluster, operator, "web");
    await cluster.condition(Kind, "web", "Degraded");
    rule.remove();
    await cluster.condition(Kind, "web", "Degraded", "False", { timeout: "1h" });
    const reasons = await reasonsOf(cluster, operator);
    expect(reasons).toContain("ImagePullFailed");
    expect(reasons).toContain("Recovered");
  });

  test("takes back the children that were left behind when it was deleted with cascade=orphan", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const children = operator.children as readonly (typeof Service)[];
    const uids = async () =>
      Promise.all(children.map(async (kind) => (await cluster.get(kind, "web")).metadata?.uid));
    const before = await uids();
    await cluster.client.delete(Kind, "web", { namespace, propagationPolicy: "Orphan" });
    await cluster.eventuallyGone(Kind, "web");
    for (const kind of children)
      await cluster.eventually(kind, "web", ({ metadata }) => !metadata?.ownerReferences?.length);
    await create(cluster, operator, "web");
    await cluster.condition(Kind, "web", "Progressing", "False");
    expect(await uids()).toEqual(before);
    for (const kind of children)
      expect((await cluster.get(kind, "web")).metadata?.ownerReferences).toHaveLength(1);
    expect(cluster.errors).toEqual([]);
  });
});
