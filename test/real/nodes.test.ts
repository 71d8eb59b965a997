// Simulated nodes for the cluster of KUBECONFIG, labelled and tainted so that nothing of anybody else's goes there; they are taken away at
// the end. Only `npm run test:real` runs it. The API server must reach 127.0.0.1 of this machine for logs and programs; where it does not,
// those are counted as skipped.
import { Namespace, Node, Pod } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { managerLabel, startNodes } from "@kubewright/cluster";
import { describe, expect, test } from "vitest";
import { eventually } from "../process-nodes/process-cluster.js";

describe.skipIf(process.env["KUBEWRIGHT_TEST_REAL"] !== "1")("simulated nodes for a real cluster", () => {
  test("50 nodes run a pod, and go again", { timeout: 120_000 }, async (context) => {
    const config = await loadKubeConfig({ env: process.env });
    await using client = clientFromKubeConfig(config);
    const name = `kubewright-test-${process.pid}`;
    const started = Date.now();
    const nodes = await startNodes({
      client,
      name,
      nodes: Array.from({ length: 50 }, (_, at) => ({
        name: `${name}-${at + 1}`,
        taints: [{ key: name, effect: "NoSchedule" as const }],
      })),
      kubelet: { anonymous: true },
    });
    console.log(
      `50 nodes after ${Date.now() - started} ms; certificate: ${nodes.certificateProblem ?? "the cluster's"}`,
    );
    const namespace = name;
    try {
      await client.create(Namespace, { metadata: { name } });
      await eventually(
        async () =>
          (await client.list(Node, { labelSelector: `${managerLabel}=${name}` })).items.length === 50,
        () => "nodes",
      );
      const spec = {
        nodeName: `${name}-7`,
        tolerations: [{ key: name, operator: "Exists" as const }],
        containers: [{ name: "c", image: "busybox", command: ["sh", "-c", "echo hi; sleep 1000"] }],
        automountServiceAccountToken: false,
        serviceAccountName: "default",
      };
      await eventually(
        () =>
          client.create(Pod, { metadata: { name: "p", namespace }, spec }).then(
            () => true,
            () => false,
          ),
        () => "the pod was not taken",
      );
      await eventually(
        async () => (await client.get(Pod, "p", { namespace })).status?.phase === "Running",
        () => "the pod does not run",
      );
      const lines: string[] = [];
      try {
        for await (const line of client.pods.log("p", { namespace })) lines.push(line);
      } catch (error) {
        if (/dial|connect|certificate/.test(String(error))) context.skip(`logs not reached: ${error}`);
        throw error;
      }
      expect(lines).toEqual(["hi"]);
      const session = await client.pods.exec("p", ["sh", "-c", "exit 3"], { namespace });
      expect((await session.output()).exitCode).toBe(3);
    } finally {
      await client.delete(Namespace, name);
      await eventually(
        async () => (await client.list(Pod, { namespace })).items.length === 0,
        () => "the pod stays",
        30_000,
      );
      await nodes.close({ remove: true });
    }
    expect((await client.list(Node, { labelSelector: `${managerLabel}=${name}` })).items).toEqual([]);
  });
});
