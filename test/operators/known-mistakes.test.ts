// Mistakes that operators of this kind are known for, each of which must not come back.
import { Deployment, Pod, Service } from "@kubewright/api";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, operators, running, settled } from "./operators.js";

const namespace = "default";
const withService = operators.filter(({ children }) => children.includes(Service));

describe.each(operators)("$name", (operator) => {
  const Kind = kindOf(operator);

  test("watches its children: whichever is deleted comes back, and only that one", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    for (const child of operator.children as readonly (typeof Service)[]) {
      const others = operator.children.filter((each) => each !== child) as readonly (typeof Service)[];
      const uid = async (kind: typeof Service) => (await cluster.get(kind, "web")).metadata?.uid;
      const [before, ...rest] = await Promise.all([child, ...others].map(uid));
      await cluster.delete(child, "web");
      await cluster.eventually(child, "web", ({ metadata }) => metadata?.uid !== before);
      expect(await Promise.all(others.map(uid))).toEqual(rest);
    }
    expect(cluster.errors).toEqual([]);
  });

  test("goes from A to B and back to A", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    const template = async () => JSON.stringify((await cluster.get(Deployment, "web")).spec?.template);
    const first = await template();
    const rolled = async () => {
      await cluster.advance("1m");
      return template();
    };
    await cluster.client.patch(Kind, "web", { merge: { spec: operator.change } as never }, { namespace });
    const second = await rolled();
    expect(second).not.toBe(first);
    const back = { ...operator.spec, ...("type" in operator.change ? { type: null } : {}) };
    await cluster.client.patch(Kind, "web", { merge: { spec: back } as never }, { namespace });
    expect(await rolled()).toBe(first);
  });

  test("survives conflicts by looking again, without an error", async () => {
    await using cluster = await testCluster(running(operator));
    const fault = cluster.faults.fail(
      { verb: "patch", resource: `${Kind.plural}/status`, client: operator.name },
      "conflict",
      { times: 2 },
    );
    await settled(cluster, operator);
    expect(fault.failed).toBe(2);
    expect(cluster.errors).toEqual([]);
  });

  test("reports the observed state, not the desired one", async () => {
    await using cluster = await testCluster({ ...running(operator), nodes: 0, leaks: "ignore" });
    await operator.prepare?.(cluster);
    await create(cluster, operator, "web");
    await cluster.advance("1m");
    const { status } = (await cluster.get(Kind, "web")) as { status?: Record<string, unknown> };
    expect(status?.["availableReplicas"] ?? 0).toBe(0);
    await cluster.condition(Kind, "web", "Available", "False");
    const pods = await cluster.list(Pod);
    expect(pods.length).toBe(2);
  });
});

describe.each(withService)("$name", (operator) => {
  const portsOf = (ports: object[]) =>
    operator.name === "application"
      ? { ...operator.spec, service: { type: "NodePort", ports } }
      : { ...operator.spec, ports };

  test("gives the node port asked for, and none that nobody asked for", async () => {
    await using cluster = await testCluster(running(operator));
    await create(cluster, operator, "asked", portsOf([{ port: 80, nodePort: 30123 }]));
    await create(cluster, operator, "plain");
    const asked = await cluster.eventually(Service, "asked");
    expect(asked.spec?.ports?.[0]?.nodePort).toBe(30123);
    const plain = await cluster.eventually(Service, "plain");
    expect(plain.spec).toMatchObject({ type: "ClusterIP" });
    expect(plain.spec?.ports?.[0]?.nodePort).toBeUndefined();
  });

  test("takes target ports by name", async () => {
    await using cluster = await testCluster(running(operator));
    await create(cluster, operator, "web", portsOf([{ port: 80, targetPort: "http" }]));
    const service = await cluster.eventually(Service, "web");
    expect(service.spec?.ports?.[0]?.targetPort).toBe("http");
    if (operator.name === "application") return;
    const deployment = await cluster.eventually(Deployment, "web");
    expect(deployment.spec?.template.spec?.containers[0]?.ports).toMatchObject([
      { name: "http", containerPort: 80 },
    ]);
  });
});
