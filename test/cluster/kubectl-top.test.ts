// What pods and nodes use as people see it, with the real kubectl. Skipped, out loud, where there is none.
import { rule } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";
import { KubectlCluster } from "./kubectl-cluster.js";

const kubectls = findKubectls();
if (kubectls.length === 0) console.warn("skipped: there is no kubectl on this machine");

test.each(kubectls)("kubectl $version top", { timeout: 60_000 }, async (kubectl) => {
  const nodes = [{ name: "one", capacity: { cpu: "2", memory: "1Gi" } }];
  const rules = [rule({}, { metrics: { cpu: "500m", memory: "256Mi" } })];
  await using cluster = await KubectlCluster.start(kubectl, { nodes, rules });
  await cluster.run("create deployment web --image=web:1 --replicas=2");
  await cluster.run("rollout status deployment/web --timeout=30s");
  const rows = async (line: string) =>
    (await cluster.run(line))
      .trim()
      .split("\n")
      .map((row) => row.trim().split(/\s+/));
  expect(await rows("top nodes --no-headers")).toEqual([["one", "1000m", "50%", "512Mi", "50%"]]);
  const web = expect.stringMatching(/^web-/);
  expect(await rows("top pods -l app=web")).toEqual([
    ["NAME", "CPU(cores)", "MEMORY(bytes)"],
    [web, "500m", "256Mi"],
    [web, "500m", "256Mi"],
  ]);
  expect(await rows("top pods --containers --no-headers")).toEqual([
    [web, "web", "500m", "256Mi"],
    [web, "web", "500m", "256Mi"],
  ]);
  expect(await rows("get podmetrics")).toEqual([
    ["NAME", "CPU", "MEMORY", "WINDOW"],
    [web, "500m", "256Mi", "15s"],
    [web, "500m", "256Mi", "15s"],
  ]);
  expect(await rows("get nodemetrics --no-headers")).toEqual([["one", "1", "512Mi", "15s"]]);
  expect(await rows("get apiservices v1beta1.metrics.k8s.io --no-headers")).toEqual([
    ["v1beta1.metrics.k8s.io", "Local", "True", expect.anything()],
  ]);
});
