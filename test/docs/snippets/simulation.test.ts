// The code and the rules of docs/guides/simulation.md, on clusters in real time.
import { readFileSync } from "node:fs";
import { Node, Pod } from "@kubewright/api";
import { hasCondition, waitFor } from "@kubewright/client";
import * as clusters from "@kubewright/cluster";
import { type Cluster, type ClusterOptions, parseRules, rule } from "@kubewright/cluster";
import { afterEach, expect, test } from "vitest";
import { blocksOf } from "../page-runner.js";

/** The clusters of one test: the page leaves it to the reader to close them. */
const started: Cluster[] = [];
const startCluster = async (options?: ClusterOptions): Promise<Cluster> => {
  const cluster = await clusters.startCluster(options);
  started.push(cluster);
  return cluster;
};
afterEach(async () => {
  for (const cluster of started.splice(0)) await cluster.close();
});

test("docs/guides/simulation.md: rules decide what containers and programs do", async () => {
  await using cluster = await startCluster({
    rules: [rule({}, { pullTime: "2s", startLatency: "500ms" })], // from the beginning
  });
  const crash = cluster.simulate(
    rule({ labels: { app: "web" } }, { crashLoop: { after: "3s", exitCode: 2 } }),
  );
  crash.remove(); // the next start stays up

  cluster.simulate(
    rule(
      { image: "postgres:*" },
      {
        exec: async ({ command, stdout }) => {
          if (command[0] !== "psql") return undefined; // left to the simulation
          await stdout("1 row\n");
          return 0;
        },
      },
    ),
  );

  cluster.simulate(rule({}, { pullTime: 0, startLatency: 0 }));
  const namespace = "default";
  await cluster.client.create(Pod, {
    metadata: { name: "db", namespace },
    spec: { containers: [{ name: "db", image: "postgres:17" }] },
  });
  await waitFor(cluster.client, Pod, "db", hasCondition("Ready"), { namespace, timeout: 10_000 });
  const run = async (...command: string[]) =>
    (await cluster.client.pods.exec("db", command, { namespace })).output();
  expect(await run("psql", "-c", "select 1")).toMatchObject({ stdout: "1 row\n", exitCode: 0 });
  expect(await run("echo", "hi")).toMatchObject({ stdout: "hi\n", exitCode: 0 });
});

test("docs/guides/simulation.md: nodes have names, zones, capacity and taints", async () => {
  await startCluster({
    nodes: [
      { zone: "a", labels: { disk: "ssd" } }, // node-1
      { name: "gpu", capacity: { "example.com/gpu": "4" }, taints: [{ key: "gpu", effect: "NoSchedule" }] },
    ],
  });

  const nodes = await started[0]?.client.list(Node);
  expect(nodes?.items.map(({ metadata }) => metadata?.name)).toEqual(["gpu", "node-1"]);
  expect(nodes?.items[0]?.status?.capacity).toMatchObject({ "example.com/gpu": "4" });
});

test("docs/guides/simulation.md: its file of rules is valid", () => {
  const page = readFileSync(new URL("../../../docs/guides/simulation.md", import.meta.url), "utf8");
  const files = blocksOf(page).filter(({ info }) => info === "yaml");
  expect(files.map(({ text }) => parseRules(text, "rules.yaml").length)).toEqual([3]);
});
