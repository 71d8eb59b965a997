// DaemonSets, StatefulSets, Jobs and autoscalers as people see them with the real kubectl. Skipped, out loud, without one.
import { rule } from "@kubewright/cluster";
import { describe, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";
import { KubectlCluster } from "./kubectl-cluster.js";

const [kubectl] = findKubectls();
if (!kubectl) console.warn("skipped: there is no kubectl on this machine");

const labels = { app: "w" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "w:1" }] } };
const set = (kind: string, spec: object = {}) =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "w" },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  });

describe.skipIf(!kubectl)("kubectl", () => {
  test.each([
    ["daemonset", set("DaemonSet"), /daemon set "w" successfully rolled out/],
    [
      "statefulset",
      set("StatefulSet", { replicas: 2, serviceName: "w" }),
      /partitioned roll out complete|statefulset rolling update complete 2 pods at revision w-\w+\.\.\./,
    ],
  ])("rolls a %s and takes it back", { timeout: 60_000 }, async (kind, manifest, done) => {
    if (!kubectl) return;
    await using cluster = await KubectlCluster.start(kubectl, { nodes: 2 });
    const image = () => cluster.run(`get ${kind} w -o jsonpath={.spec.template.spec.containers[0].image}`);
    const rolled = () => cluster.run(`rollout status ${kind}/w --timeout=60s`);
    await cluster.run("apply -f -", manifest);
    await rolled();
    await cluster.run(`set image ${kind}/w c=w:2`);
    expect(await rolled()).toMatch(done);
    expect(await cluster.run(`rollout history ${kind}/w`)).toMatch(/REVISION +CHANGE-CAUSE\n1 +.*\n2 +/);
    expect(await cluster.run(`rollout undo ${kind}/w`)).toContain("rolled back");
    await rolled();
    expect(await image()).toBe("w:1");
    expect(await cluster.run(`rollout history ${kind}/w`)).toMatch(/\n2 +.*\n3 +/);
    expect(await cluster.run("get pods -l app=w -o jsonpath={.items[*].spec.containers[0].image}")).toBe(
      "w:1 w:1",
    );
  });

  test("autoscales, and shows by what", { timeout: 60_000 }, async () => {
    if (!kubectl) return;
    await using cluster = await KubectlCluster.start(kubectl);
    cluster.cluster.simulate(rule({}, { metrics: { cpu: "150m", memory: "10Mi" } }));
    await cluster.run("create deployment web --image=web:1 --replicas=2");
    await cluster.run("set resources deployment/web --requests=cpu=100m");
    await cluster.run("rollout status deployment/web --timeout=60s");
    await cluster.run("autoscale deployment web --min=1 --max=4 --cpu-percent=50");
    await cluster.run("wait deployment/web --for=jsonpath={.spec.replicas}=4 --timeout=40s");
    await cluster.run("wait hpa/web --for=condition=ScalingActive --timeout=40s");
    expect(await cluster.run("get hpa web --no-headers")).toMatch(
      /^web +Deployment\/web +cpu: 150%\/50% +1 +4 +\d /,
    );
    expect(await cluster.run("describe hpa web")).toContain("ValidMetricFound");
  });

  test("waits for a Job and tells why one failed", { timeout: 60_000 }, async () => {
    if (!kubectl) return;
    await using cluster = await KubectlCluster.start(kubectl);
    await cluster.run("create job good --image=tool:1 -- true");
    await cluster.run("wait job/good --for=condition=complete --timeout=30s");
    expect(await cluster.run("get job good --no-headers")).toMatch(/^good +Complete +1\/1 /);
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [3] } }];
    const containers = [{ name: "c", image: "tool:1", command: ["sh", "-c", "exit 3"] }];
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "bad" },
      spec: { podFailurePolicy: { rules }, template: { spec: { restartPolicy: "Never", containers } } },
    };
    await cluster.run("apply -f -", JSON.stringify(job));
    await cluster.run("wait job/bad --for=condition=failed --timeout=30s");
    expect(await cluster.run("describe job bad")).toMatch(
      /Warning +PodFailurePolicy .*failed with exit code 3 matching FailJob rule at index 0/,
    );
  });
});
