// The life of a Deployment of three as its users see it: made, rolled, rolled back, scaled and deleted. First through the
// client, in virtual time, with everything it says; then through the real kubectl, where there is one.
import { Deployment, type DeploymentCondition, isNotFound, type ReplicaSet } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";
import { KubectlCluster } from "./kubectl-cluster.js";
import { VirtualCluster, web, withImage } from "./virtual-cluster.js";

const inDefault = { namespace: "default" };
const prefix = "deployment.kubernetes.io/";

describe("through the client", () => {
  const setOf = async (cluster: VirtualCluster, image: string): Promise<ReplicaSet> => {
    const found = (await cluster.sets()).find(
      ({ spec }) => spec?.template?.spec?.containers[0]?.image === image,
    );
    if (!found) throw new Error(`no ReplicaSet has ${image}`);
    return found;
  };
  const texts = (conditions: readonly DeploymentCondition[] | undefined) =>
    Object.fromEntries(
      (conditions ?? []).map(({ type, status, reason, message }) => [
        type,
        `${status} ${reason}: ${message}`,
      ]),
    );

  /** What everyone may rely on whenever a rollout is over. */
  async function expectRolledOut(cluster: VirtualCluster, image: string, revision: string, replicas: number) {
    const { metadata, status } = await cluster.deployment("web");
    const { metadata: set } = await setOf(cluster, image);
    expect(metadata?.annotations?.[`${prefix}revision`]).toBe(revision);
    expect(set?.annotations).toMatchObject({
      [`${prefix}revision`]: revision,
      [`${prefix}desired-replicas`]: String(replicas),
    });
    expect(status).toMatchObject({
      observedGeneration: metadata?.generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    });
    expect(status?.unavailableReplicas).toBeUndefined();
    expect(texts(status?.conditions)).toEqual({
      Available: "True MinimumReplicasAvailable: Deployment has minimum availability.",
      Progressing: `True NewReplicaSetAvailable: ReplicaSet "${set?.name}" has successfully progressed.`,
    });
    expect((await cluster.pods()).map(({ spec }) => spec?.containers[0]?.image)).toEqual(
      Array.from({ length: replicas }, () => image),
    );
  }

  test("every step is told, and leaves the state users know", async () => {
    await using cluster = await VirtualCluster.start();
    await cluster.client.create(Deployment, web());
    await cluster.rest();
    await expectRolledOut(cluster, "web:1", "1", 3);
    const first = (await setOf(cluster, "web:1")).metadata?.name;

    await cluster.client.patch(Deployment, "web", withImage("web:2"), inDefault);
    await cluster.rest();
    await expectRolledOut(cluster, "web:2", "2", 3);
    const second = (await setOf(cluster, "web:2")).metadata?.name;

    await cluster.client.patch(Deployment, "web", withImage("web:1"), inDefault);
    await cluster.rest();
    await expectRolledOut(cluster, "web:1", "3", 3);
    expect((await setOf(cluster, "web:1")).metadata?.annotations?.[`${prefix}revision-history`]).toBe("1");

    await cluster.client.scale(Deployment, "web", 5, inDefault);
    await cluster.rest();
    await expectRolledOut(cluster, "web:1", "3", 5);

    const up = (name: string | undefined, from: number, to: number) =>
      `ScalingReplicaSet: Scaled up replica set ${name} from ${from} to ${to}`;
    const down = (name: string | undefined, from: number, to: number) =>
      `ScalingReplicaSet: Scaled down replica set ${name} from ${from} to ${to}`;
    const told = await cluster.events("Deployment");
    expect(new Set(told)).toEqual(
      new Set([
        up(first, 0, 3),
        ...[0, 1, 2].map((from) => up(second, from, from + 1)),
        ...[3, 2, 1].map((from) => down(first, from, from - 1)),
        ...[0, 1, 2].map((from) => up(first, from, from + 1)),
        ...[3, 2, 1].map((from) => down(second, from, from - 1)),
        up(first, 3, 5),
      ]),
    );

    await cluster.client.delete(Deployment, "web", inDefault);
    await cluster.clock.advance(60_000);
    await expect(cluster.deployment("web")).rejects.toSatisfy(isNotFound);
    expect(await cluster.sets()).toEqual([]);
    expect(await cluster.pods()).toEqual([]);
  });
});

const [kubectl] = findKubectls();
if (!kubectl) console.warn("skipped: there is no kubectl on this machine");

describe.skipIf(!kubectl)("through kubectl", () => {
  const waiting = [
    /^Waiting for deployment "web" rollout to finish: \d+ out of \d+ new replicas have been updated\.\.\.$/,
    /^Waiting for deployment "web" rollout to finish: \d+ old replicas are pending termination\.\.\.$/,
    /^Waiting for deployment "web" rollout to finish: \d+ of \d+ updated replicas are available\.\.\.$/,
    /^Waiting for deployment spec update to be observed\.\.\.$/,
  ];

  /** Everything `rollout status` prints is a line users know, and the last one is good news. */
  async function expectRollout(run: KubectlCluster["run"]): Promise<readonly string[]> {
    const lines = (await run("rollout status deployment/web --timeout=60s")).trim().split("\n");
    expect(lines.at(-1)).toBe('deployment "web" successfully rolled out');
    for (const line of lines.slice(0, -1))
      expect(
        waiting.some((known) => known.test(line)),
        line,
      ).toBe(true);
    return lines;
  }

  test("create, roll, undo, scale and delete", { timeout: 60_000 }, async () => {
    if (!kubectl) return;
    await using cluster = await KubectlCluster.start(kubectl);
    const run: KubectlCluster["run"] = (line, input) => cluster.run(line, input);
    // Pods take a moment to get ready, so that there is something to wait for.
    const readinessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 1 };
    const deployment = web();
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1", readinessProbe }] },
    };
    const manifest = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      ...deployment,
      spec: { ...deployment.spec, template },
    };
    expect(await run("apply -f -", JSON.stringify(manifest))).toBe("deployment.apps/web created\n");
    expect((await expectRollout(run)).length).toBeGreaterThan(1);
    expect(await run("get deployment web --no-headers")).toMatch(/^web +3\/3 +3 +3 /);

    expect(await run("set image deployment/web web=web:2")).toBe("deployment.apps/web image updated\n");
    expect((await expectRollout(run)).length).toBeGreaterThan(1);
    expect(await run("rollout history deployment/web")).toMatch(
      /^deployment\.apps\/web \nREVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/,
    );

    expect(await run("rollout undo deployment/web")).toBe("deployment.apps/web rolled back\n");
    await expectRollout(run);
    expect(await run("rollout history deployment/web --revision=3")).toContain("web:1");

    expect(await run("scale deployment/web --replicas=5")).toBe("deployment.apps/web scaled\n");
    await expectRollout(run);

    const described = await run("describe deployment web");
    expect(described).toContain("5 desired | 5 updated | 5 total | 5 available | 0 unavailable");
    expect(described).toMatch(/Available +True +MinimumReplicasAvailable/);
    expect(described).toMatch(/Progressing +True +NewReplicaSetAvailable/);
    expect(described).toMatch(/OldReplicaSets: +web-\w+ \(0\/0 replicas created\)/);
    expect(described).toMatch(/NewReplicaSet: +web-\w+ \(5\/5 replicas created\)/);
    expect(described).toMatch(
      /Normal +ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-\w+ from 0 to 3/,
    );

    expect(await run("delete deployment web")).toContain('deployment.apps "web" deleted');
    await run("wait pods --for=delete -l app=web --timeout=30s");
    expect(await run("get all -l app=web")).toContain("No resources found");
  });
});
