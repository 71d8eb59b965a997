// The application operators on the cluster of KUBECONFIG, each in a namespace of its own, run from here. Their webhooks are left
// out: that cluster cannot reach this machine. Only `npm run test:real` runs it; it installs the operators' kinds and leaves them.
import { Deployment } from "@kubewright/api";
import { isRealCluster, testClusterFromEnvironment } from "@kubewright/testing/environment";
import { describe, expect, test } from "vitest";
import { kindOf, operators, running, settled } from "../operators/operators.js";

/** An image that every cluster can run, where the operator lets one choose. */
const image = "registry.k8s.io/pause:3.10";

describe.skipIf(!isRealCluster())("on a real cluster", () => {
  test.each(operators)(
    "$name makes its objects available, and takes everything along",
    { timeout: 300_000 },
    async (operator) => {
      const { resources } = running(operator);
      const manager = { ...operator.manager, webhooks: [] };
      const spec = JSON.parse(JSON.stringify(operator.spec).replaceAll("nginx:1.27", image));
      await using cluster = await testClusterFromEnvironment({
        resources,
        manager,
        namespace: `kubewright-${operator.name}`,
      });
      // The pause image listens on no port, so nothing may probe it.
      const quiet =
        operator.name === "modelbox"
          ? { probes: { liveness: { enabled: false }, readiness: { enabled: false } } }
          : {};
      await settled(cluster, { ...operator, spec: { ...spec, ...quiet } });
      await cluster.delete(kindOf(operator), "web");
      await cluster.eventuallyGone(Deployment, "web", { timeout: "2m" });
      expect(cluster.errors).toEqual([]);
    },
  );
});
