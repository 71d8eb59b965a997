// What goes wrong around an operator: its objects say so in words, and everything heals when the cause goes.
import { type CustomResourceDefinition, Deployment, Namespace, Pod, Service } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { everyCrashPoint, type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, type OperatorUnderTest, operators, running, settled } from "./operators.js";

const namespace = "default";

async function degraded(cluster: TestCluster, operator: OperatorUnderTest) {
  const object = await cluster.condition(kindOf(operator), "web", "Degraded");
  const { reason, message } = object!.status!.conditions!.find(({ type }) => type === "Degraded")!;
  return { reason, message };
}

/** The kind as it was when it took anything. */
function loosened(crd: CustomResourceDefinition): CustomResourceDefinition {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: anything, status: anything } };
  const versions = crd.spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema } }));
  return { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } };
}

const imageOf = (operator: OperatorUnderTest, image: string): object =>
  operator.name === "application" ? { deployment: { image } } : { image };

describe.each(operators)("$name", (operator) => {
  const Kind = kindOf(operator);

  test("may be killed after any write", { timeout: 120_000 }, async () => {
    const { writes } = await everyCrashPoint(running(operator), async (cluster) => {
      await settled(cluster, operator);
      await cluster.client.patch(Kind, "web", { merge: { spec: operator.change } as never }, { namespace });
      await cluster.eventually(Kind, "web", ({ metadata }) => metadata?.generation === 2);
      await cluster.advance("1m");
      await cluster.condition(Kind, "web", "Progressing", "False");
      for (const child of operator.children as readonly (typeof Service)[])
        expect((await cluster.get(child, "web")).metadata?.ownerReferences).toHaveLength(1);
    });
    expect(writes.length).toBeGreaterThanOrEqual(operator.children.length + 2);
  });

  test("gets through while every third of its requests fails", async () => {
    await using cluster = await testCluster(running(operator));
    let count = 0;
    const fault = cluster.faults.fail(
      ({ client, verb }) => client.startsWith(operator.name) && verb !== "watch" && ++count % 3 === 0,
      { code: 500 },
      { times: 20 },
    );
    await settled(cluster, operator);
    expect(fault.failed).toBeGreaterThan(0);
  });

  test("leaves a Deployment alone that is not its own, reports it, and goes on when it is gone", async () => {
    await using cluster = await testCluster(running(operator));
    const labels = { app: "theirs" };
    const theirs = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "theirs:1" }] } },
    };
    const { metadata } = await cluster.create(Deployment, { name: "web", spec: theirs });
    await operator.prepare?.(cluster);
    await create(cluster, operator, "web");
    expect(await degraded(cluster, operator)).toEqual({
      reason: "NameTaken",
      message: expect.stringMatching(
        /^Deployment default\/web has no controller.*delete it, or choose another name$/,
      ),
    });
    await cluster.advance("10m");
    const now = await cluster.get(Deployment, "web");
    expect(now.metadata?.uid).toBe(metadata?.uid);
    expect(now.spec?.template.spec?.containers[0]?.image).toBe("theirs:1");
    await cluster.delete(Deployment, "web");
    await cluster.condition(Kind, "web", "Available");
    await cluster.condition(Kind, "web", "Degraded", "False");
  });

  test("deleted while it is being made, leaves nothing behind", async () => {
    await using cluster = await testCluster(running(operator));
    await operator.prepare?.(cluster);
    for (let i = 0; i < 5; i++) {
      await create(cluster, operator, "web");
      for (let turn = 0; turn < i; turn++) await cluster.client.list(Pod);
      await cluster.delete(Kind, "web");
    }
    await cluster.eventuallyGone(Kind, "web");
    await cluster.eventuallyGone(Deployment, "web");
    await cluster.eventually(async () => (await cluster.list(Pod)).length === 0);
  });

  test("reports a quota that lets no pod be made", async () => {
    await using cluster = await testCluster(running(operator));
    const message =
      'pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0';
    const fault = cluster.faults.fail(
      { verb: "create", resource: "pods", client: "" },
      { code: 403, reason: "Forbidden", message },
      { times: 1_000 },
    );
    await operator.prepare?.(cluster);
    await create(cluster, operator, "web");
    expect(await degraded(cluster, operator)).toMatchObject({
      reason: "QuotaExceeded",
      message: expect.stringContaining("exceeded quota: small"),
    });
    fault.remove();
    await cluster.condition(Kind, "web", "Available", "True", { timeout: "1h" });
    await cluster.condition(Kind, "web", "Degraded", "False");
  });

  test("reports what is wrong with an object that was stored before its schema was tightened", async () => {
    const resources = customKindsOf(operator.manager).map((kind) => ({ crd: () => loosened(kind.crd()) }));
    const manager = { ...operator.manager, webhooks: [] };
    await using cluster = await testCluster({ resources, manager });
    await create(cluster, operator, "web", { deployment: { enabled: true } });
    expect((await degraded(cluster, operator)).message).toMatch(operator.whenEmpty);
    const told = cluster.errors.length;
    await cluster.advance("10m");
    expect(cluster.errors).toHaveLength(told);
    await operator.prepare?.(cluster);
    await cluster.client.patch(Kind, "web", { merge: { spec: operator.spec } as never }, { namespace });
    await cluster.condition(Kind, "web", "Available");
  });

  test("goes with its namespace", async () => {
    await using cluster = await testCluster({ ...running(operator), namespace: "shop" });
    await settled(cluster, operator);
    await cluster.client.delete(Namespace, "shop");
    await cluster.eventuallyGone(Namespace, "shop");
  });
});

describe.each(operators.filter(({ name }) => name !== "guestbook"))("$name", (operator) => {
  const Kind = kindOf(operator);

  test("reports an image that cannot be pulled, and its recovery", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const merge = (image: string) =>
      cluster.client.patch(
        Kind,
        "web",
        { merge: { spec: imageOf(operator, image) } as never },
        { namespace },
      );
    await merge("registry.example/does-not-exist:1");
    expect(await degraded(cluster, operator)).toMatchObject({
      reason: "ImagePullFailed",
      message: expect.stringContaining("check its name and the pull secrets"),
    });
    await cluster.condition(Kind, "web", "Available");
    await merge("nginx:1.28");
    await cluster.condition(Kind, "web", "Degraded", "False");
  });

  test("reports a node port that is taken, and takes it when it is free", async () => {
    await using cluster = await testCluster(running(operator));
    const ports = [{ port: 80, nodePort: 30123 }];
    await cluster.create(Service, { name: "theirs", spec: { type: "NodePort", ports } });
    const spec =
      operator.name === "application"
        ? { ...operator.spec, service: { type: "NodePort", ports } }
        : { ...operator.spec, ports };
    await create(cluster, operator, "web", spec);
    expect(await degraded(cluster, operator)).toMatchObject({
      reason: "NodePortTaken",
      message: expect.stringContaining("provided port is already allocated"),
    });
    await cluster.delete(Service, "theirs");
    await cluster.condition(Kind, "web", "Degraded", "False");
    expect((await cluster.get(Service, "web")).spec?.ports?.[0]?.nodePort).toBe(30123);
  });
});
