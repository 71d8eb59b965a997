// Rollouts as people see them, with the real kubectl. Skipped, out loud, where there is none.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";

const [kubectl] = findKubectls();
if (!kubectl) console.warn("skipped: there is no kubectl on this machine");

describe.skipIf(!kubectl)("kubectl rollout", () => {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-rollout-"));
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    writeFileSync(join(directory, "kubeconfig"), (await cluster.listen()).kubeconfig);
  });

  afterAll(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function run(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const env = { ...process.env, KUBECONFIG: join(directory, "kubeconfig"), HOME: directory };
      const child = spawn(kubectl?.command ?? "", line.split(" "), { env });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString();
        });
      child.once("error", reject);
      child.once("close", (code) =>
        code === 0 ? resolve(output) : reject(new Error(`kubectl ${line} exited with ${code}: ${output}`)),
      );
    });
  }

  const image = () => run("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}");

  test("create, roll, undo, scale and delete", { timeout: 60_000 }, async () => {
    await run("create deployment web --image=web:1 --replicas=3");
    expect(await run("rollout status deployment/web --timeout=10s")).toContain(
      'deployment "web" successfully rolled out',
    );
    expect(await run("get deployment web --no-headers")).toMatch(/^web +3\/3 +3 +3 /);
    await run("set image deployment/web web=web:2");
    await run("rollout status deployment/web --timeout=10s");
    expect(await run("rollout history deployment/web")).toMatch(/\n1 .*\n2 /);
    await run("rollout undo deployment/web");
    await run("rollout status deployment/web --timeout=10s");
    expect(await image()).toBe("web:1");
    expect(await run("rollout history deployment/web")).toMatch(/\n2 .*\n3 /);
    await run("scale deployment/web --replicas=5");
    await run("wait deployment/web --for=jsonpath={.status.availableReplicas}=5 --timeout=10s");
    expect(await run("describe deployment web")).toContain("Available      True    MinimumReplicasAvailable");
    await run("rollout restart deployment/web");
    await run("rollout status deployment/web --timeout=10s");
    await run("delete deployment web");
    await run("wait pods --for=delete -l app=web --timeout=10s");
  });

  test("a pod that ends prints its log", async () => {
    await run("run hello --image=busybox --restart=Never --command -- sh -c echo\thello");
    await run("wait pod/hello --for=jsonpath={.status.phase}=Succeeded --timeout=10s");
    expect(await run("logs hello")).toBe("hello\n");
  });

  test("a StatefulSet rolls in order", async () => {
    const labels = { app: "db" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "db", image: "db:1" }] } };
    const set = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "db" },
      spec: { replicas: 3, serviceName: "db", selector: { matchLabels: labels }, template },
    };
    writeFileSync(join(directory, "set.json"), JSON.stringify(set));
    await run(`apply -f ${join(directory, "set.json")}`);
    expect(await run("rollout status statefulset/db --timeout=10s")).toMatch(/complete|rolled out|3 pods/);
    await run("set image statefulset/db db=db:2");
    await run("rollout status statefulset/db --timeout=10s");
    expect(await run("get pods -l app=db -o jsonpath={.items[*].spec.containers[0].image}")).toBe(
      "db:2 db:2 db:2",
    );
  });

  test("nodes look like nodes", async () => {
    expect(await run("get nodes --no-headers")).toMatch(/^node-1 +Ready +<none> +\S+ +v1\.36/);
    expect(await run("describe node node-1")).toContain("KubeletReady");
  });
});
