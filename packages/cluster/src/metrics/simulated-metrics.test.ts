import { LabelMatcher } from "@kubewright/api";
import { expect, test } from "vitest";
import { Simulation } from "../nodes/fixtures/simulation.js";
import { rule } from "../nodes/rules/check-rule.js";

const web = LabelMatcher.parse("app=web");

test("simulated metrics: the usage of pods follows from rules, and changes with them and with time", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({}, {}, { app: "web" });
  const { metrics } = simulation.cluster;
  const containers = () => metrics.podUsage("default", web).flatMap((pod) => pod.containers);
  expect(containers()).toHaveLength(1);
  simulation.cluster.simulate(rule({}, { metrics: { cpu: "250m", memory: "64Mi" } }));
  expect(containers()).toEqual([{ name: "c", cpu: 0.25, memory: 64 * 1024 * 1024 }]);
  simulation.cluster.simulate(rule({}, { metrics: (elapsed) => ({ cpu: elapsed / 1000 }) }));
  await simulation.after(3);
  expect(containers()).toMatchObject([{ cpu: 3 }]);
  expect(metrics.podUsage("default", LabelMatcher.parse("app=db"))).toEqual([]);
});

test("simulated metrics: custom and external metrics are those that were set", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({}, {}, { app: "web" });
  const { metrics } = simulation.cluster;
  metrics.set("requests", { kind: "Pod", namespace: "default", name: "p" }, "1500m");
  metrics.set("hits", { kind: "Ingress", namespace: "default", name: "main" }, 7);
  metrics.setExternal("queue", [
    { value: "30", labels: { topic: "a" } },
    { value: 4, namespace: "other" },
  ]);
  expect(metrics.podMetric("requests", "default", web)).toEqual([{ name: "p", value: 1.5 }]);
  expect(metrics.objectMetric("hits", { kind: "Ingress", namespace: "default", name: "main" })).toBe(7);
  expect(
    metrics.objectMetric("hits", { kind: "Ingress", namespace: "default", name: "other" }),
  ).toBeUndefined();
  expect(metrics.externalMetric("queue", "default", LabelMatcher.everything)).toEqual([30]);
  expect(metrics.externalMetric("queue", "other", LabelMatcher.everything)).toEqual([30, 4]);
});
