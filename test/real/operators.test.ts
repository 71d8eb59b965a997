// The application operators on the cluster of KUBECONFIG, each in a namespace of its own, run from here. Their webhooks are left
// out: that cluster cannot reach this machine. Only `npm run test:real` runs it; it installs the operators' kinds and leaves them.
import { Deployment, type Service } from "@kubewright/api";
import type { TestCluster } from "@kubewright/testing";
import { isRealCluster, testClusterFromEnvironment } from "@kubewright/testing/environment";
import { describe, expect, test } from "vitest";
import { kindOf, type OperatorUnderTest, operators, running, settled } from "../operators/operators.js";

/** An image that every cluster can run, where the operator lets one choose. */
const image = "registry.k8s.io/pause:3.10";
const timeout = "2m";

/** The operator with objects that a real cluster can run. */
function forRealPods(operator: OperatorUnderTest): OperatorUnderTest {
  const spec = JSON.parse(JSON.stringify(operator.spec).replaceAll("nginx:1.27", image));
  // The pause image listens on no port, so nothing may probe it.
  const quiet = { probes: { liveness: { enabled: false }, readiness: { enabled: false } } };
  return { ...operator, spec: { ...spec, ...(operator.name === "modelbox" ? quiet : {}) } };
}

const started = (operator: OperatorUnderTest, suffix: string): Promise<TestCluster> =>
  testClusterFromEnvironment({
    resources: running(operator).resources,
    manager: { ...operator.manager, webhooks: [] },
    namespace: `kubewright-${operator.name}-${suffix}`,
  });

describe.skipIf(!isRealCluster())("on a real cluster", () => {
  test.each(operators.map(forRealPods))(
    "$name makes its objects available, heals them, and takes everything along",
    { timeout: 300_000 },
    async (operator) => {
      await using cluster = await started(operator, "life");
      await settled(cluster, operator);
      for (const child of operator.children as readonly (typeof Service)[]) {
        const { metadata } = await cluster.get(child, "web");
        await cluster.delete(child, "web");
        await cluster.eventually(child, "web", (now) => now.metadata?.uid !== metadata?.uid, { timeout });
      }
      await cluster.condition(kindOf(operator), "web", "Available", "True", { timeout });
      await cluster.delete(kindOf(operator), "web");
      await cluster.eventuallyGone(Deployment, "web", { timeout });
      expect(cluster.errors).toEqual([]);
    },
  );

  test.each(operators.map(forRealPods))(
    "$name reports a Deployment that is another's, and goes on when it is gone",
    { timeout: 300_000 },
    async (operator) => {
      await using cluster = await started(operator, "taken");
      const labels = { app: "theirs" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "c", image }] } };
      await cluster.create(Deployment, {
        name: "web",
        spec: { replicas: 0, selector: { matchLabels: labels }, template },
      });
      await operator.prepare?.(cluster);
      await cluster.create(kindOf(operator), { name: "web", spec: operator.spec } as never);
      await cluster.condition(kindOf(operator), "web", "Degraded", "True", { timeout });
      await cluster.condition(kindOf(operator), "web", "Available", "False", { timeout });
      await cluster.delete(Deployment, "web");
      await cluster.condition(kindOf(operator), "web", "Degraded", "False", { timeout });
      await cluster.condition(kindOf(operator), "web", "Available", "True", { timeout });
    },
  );
});
