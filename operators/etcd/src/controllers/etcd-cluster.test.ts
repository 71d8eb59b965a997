// The members of EtcdClusters in virtual time, on simulated nodes, with a model in place of etcd.
import { Event, PersistentVolumeClaim, Pod, PodDisruptionBudget, Service } from "@kubewright/api";
import { everyCrashPoint } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../api/v1alpha1/etcd-restore.js";
import type { EtcdAccess } from "../client/etcd-access.js";
import { eventOf } from "../cluster/step-events.js";
import { etcdManager } from "../manager.js";
import { ModelledEtcd } from "../model/modelled-etcd.js";
import { create, eventsOf, kinds, name, namespace, patch, settled, world } from "./fixtures/cluster-world.js";

describe("an EtcdCluster", { timeout: 60_000 }, () => {
  test("begins with one member and grows by learners, one at a time", async () => {
    await using w = await world();
    await create(w);
    const { status } = await settled(w, 3);
    expect(kinds(w.steps)).toEqual([
      "start db-0",
      "restart db-0",
      "start db-0",
      ...["db-1", "db-2"].flatMap((member) =>
        ["add-learner", "start", "restart", "start", "promote"].map((kind) => `${kind} ${member}`),
      ),
    ]);
    expect(status).toMatchObject({ ready: "3/3", leader: "db-0", currentVersion: "3.5.30" });
    expect(status?.clientEndpoint).toBe("http://db-client.default.svc:2379");
    expect(await eventsOf(w)).toEqual(
      expect.arrayContaining(["MemberStarted", "MemberAdded", "MemberPromoted"]),
    );
    expect((await w.cluster.get(PodDisruptionBudget, name)).spec?.minAvailable).toBe(2);
    expect((await w.cluster.get(Service, "db-peers")).spec).toMatchObject({
      clusterIP: "None",
      publishNotReadyAddresses: true,
    });
    const pods = await w.cluster.list(Pod);
    expect(new Set(pods.map(({ spec }) => spec?.nodeName)).size).toBe(3);
    expect(w.cluster.errors).toEqual([]);
  });

  test("shrinks by the highest number, after the leader handed over, and takes the volume along", async () => {
    await using w = await world();
    await create(w, { replicas: 5 });
    await settled(w, 5);
    w.etcd.clusterOf("db-0").leader = [...w.etcd.clusterOf("db-0").members.values()].at(-1)?.id;
    w.steps.length = 0;
    await patch(w, { replicas: 3 });
    await settled(w, 3);
    expect(kinds(w.steps)).toEqual([
      "move-leader",
      "remove-member db-4",
      "delete-pod db-4",
      "delete-claim db-4",
      "remove-member db-3",
      "delete-pod db-3",
      "delete-claim db-3",
    ]);
    const claims = await w.cluster.list(PersistentVolumeClaim);
    expect(claims.map(({ metadata }) => metadata?.name).toSorted()).toEqual([
      "data-db-0",
      "data-db-1",
      "data-db-2",
    ]);
  });

  test("keeps a member that is away for less than its grace time, and replaces it afterwards", async () => {
    await using w = await world();
    await create(w, { failureGraceSeconds: 60 });
    const before = (await settled(w, 3)).status?.members?.find((each) => each.name === "db-1")?.id;
    w.steps.length = 0;
    w.etcd.stop("db-1");
    await w.cluster.advance("50s");
    expect((await w.cluster.get(EtcdCluster, name)).status?.phase).toBe("Degraded");
    w.etcd.resume("db-1");
    await settled(w, 3);
    expect(w.steps).toEqual([]);
    w.etcd.stop("db-1");
    await w.cluster.advance("75s");
    w.etcd.resume("db-1");
    const { status } = await settled(w, 3);
    expect(kinds(w.steps).slice(0, 3)).toEqual([
      "remove-member db-1",
      "delete-pod db-1",
      "delete-claim db-1",
    ]);
    expect(status?.members?.map((each) => each.id)).not.toContain(before);
    expect(await eventsOf(w)).toContain("MemberFailed");
  });

  test("without a quorum says so at once, removes nobody, and goes on when members return", async () => {
    await using w = await world();
    await create(w, { failureGraceSeconds: 10 });
    await settled(w, 3);
    w.steps.length = 0;
    w.etcd.stop("db-1");
    w.etcd.stop("db-2");
    await w.cluster.advance("11s");
    await w.cluster.condition(EtcdCluster, name, "QuorumLost", "True");
    await w.cluster.condition(EtcdCluster, name, "Available", "False");
    await w.cluster.advance("5m");
    expect(w.steps).toEqual([]);
    expect(await eventsOf(w)).toContain("QuorumLost");
    w.etcd.resume("db-2");
    await w.cluster.condition(EtcdCluster, name, "QuorumLost", "False", { timeout: "1m" });
    expect(await eventsOf(w)).toContain("QuorumRegained");
    w.etcd.resume("db-1");
    await settled(w, 3);
  });

  test("an image that holds another etcd than the version says is reported, and so is what runs", async () => {
    await using w = await world();
    await create(w, { version: "3.5.30", image: "registry.example.com/etcd:v3.4.23" });
    const { status } = await settled(w, 3);
    expect(status?.currentVersion).toBe("3.4.23");
    expect(status?.conditions?.find(({ type }) => type === "Degraded")).toMatchObject({
      status: "True",
      reason: "OtherVersion",
      message: expect.stringContaining("runs etcd 3.4.23, not 3.5.30"),
    });
  });

  test("changes roll through the members, the leader last, and versions are changed by one minor at a time", async () => {
    await using w = await world();
    await create(w, { version: "3.4.23" });
    await settled(w, 3);
    w.steps.length = 0;
    await patch(w, { version: "3.5.30" });
    const { status } = await settled(w, 3);
    expect(kinds(w.steps)).toEqual([
      "restart db-2",
      "start db-2",
      "restart db-1",
      "start db-1",
      "move-leader",
      "restart db-0",
      "start db-0",
    ]);
    expect(status?.currentVersion).toBe("3.5.30");
    w.steps.length = 0;
    await patch(w, { version: "3.7.0" });
    await w.cluster.condition(EtcdCluster, name, "Degraded", "True");
    const refused = (await w.cluster.get(EtcdCluster, name)).status?.conditions?.find(
      ({ type }) => type === "Degraded",
    );
    expect(refused?.message).toBe(
      "3.5.30 cannot become 3.7.0 at once: set the version to the newest 3.6.x, then 3.7.0",
    );
    await patch(w, { version: "3.4.23" });
    await w.cluster.advance("1m");
    expect(w.steps).toEqual([]);
    expect(await eventsOf(w)).toEqual(expect.arrayContaining(["MinorSkipped", "Downgrade"]));
  });

  test("an even number through the scale subresource is rounded up", async () => {
    await using w = await world();
    await create(w, { replicas: 1 });
    await settled(w, 1);
    await w.cluster.client.scale(EtcdCluster, name, 2, { namespace });
    const { status } = await settled(w, 3);
    expect(status?.desiredReplicas).toBe(3);
    expect(await eventsOf(w)).toContain("RoundedToOdd");
  });

  test("grows though the leader counts a member as lost that is there, as etcd sometimes does", async () => {
    await using w = await world();
    await create(w);
    await settled(w, 3);
    const etcd = w.etcd.clusterOf("db-0");
    etcd.miscounting.add(etcd.leader ?? "");
    w.steps.length = 0;
    await patch(w, { replicas: 5 });
    await settled(w, 5);
    expect(kinds(w.steps)[0]).toBe("add-learner db-3");
    for (const { id } of etcd.voters) etcd.miscounting.add(id);
    w.steps.length = 0;
    await patch(w, { replicas: 7 });
    await settled(w, 7);
    expect(kinds(w.steps).slice(0, 3)).toEqual(["restart db-4", "start db-4", "add-learner db-5"]);
    expect(await eventsOf(w)).not.toContain("StepFailed");
  });

  test("from one to seven and back every step has its event", async () => {
    await using w = await world();
    await create(w, { replicas: 1, tls: { client: {}, peer: {} } });
    await settled(w, 1);
    await patch(w, { replicas: 7 });
    await settled(w, 7);
    await patch(w, { replicas: 1 });
    await settled(w, 1);
    await w.cluster.advance("1s");
    const { items } = await w.cluster.client.list(Event, { namespace });
    const notes = items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map((each) => each.message);
    const missing = w.steps.map((step) => eventOf(step)?.note).filter((note) => !notes.includes(note));
    expect(missing).toEqual([]);
    for (let member = 0; member < 7; member++)
      expect(notes).toContain(`the certificate in Secret db-${member}-tls was issued`);
  });

  test("while paused nothing is changed", async () => {
    await using w = await world();
    await create(w);
    await settled(w, 3);
    w.steps.length = 0;
    await patch(w, { paused: true, replicas: 5 });
    await w.cluster.delete(Pod, "db-2");
    await w.cluster.advance("5m");
    expect((await w.cluster.get(EtcdCluster, name)).status?.phase).toBe("Paused");
    expect(w.steps).toEqual([]);
    await patch(w, { paused: false });
    await settled(w, 5);
  });

  test("recovers from one member when that is asked for after a lost quorum", async () => {
    await using w = await world();
    await create(w);
    await settled(w, 3);
    for (const member of ["db-0", "db-2"]) w.etcd.stop(member);
    await w.cluster.advance("11s");
    await w.cluster.condition(EtcdCluster, name, "QuorumLost", "True");
    const annotations = { "etcd.database.coreos.com/recover-from-member": "db-1" };
    await w.cluster.client.patch(
      EtcdCluster,
      name,
      { merge: { metadata: { annotations } } as never },
      { namespace },
    );
    await w.cluster.advance("1m");
    for (const member of ["db-0", "db-2"]) w.etcd.resume(member);
    const { status } = await settled(w, 3);
    expect(status?.recoveredBy).toBe("db-1");
    expect(kinds(w.steps)).toContain("start db-1");
  });
});

describe("an operator that crashes", () => {
  // The whole takes minutes, and runs with npm run test:etcd.
  const size = process.env["KUBEWRIGHT_ETCD_MATRIX"] ? 3 : 1;
  test("after any of its writes finishes what it began", { timeout: 300_000 }, async () => {
    let now = () => 0;
    const made = new Set<ModelledEtcd>();
    let etcd = new ModelledEtcd({ now: () => now() });
    const access: EtcdAccess = {
      isModel: true,
      member: (target) => etcd.member(target),
      keepOnly: (cluster, pods) => etcd.keepOnly(cluster, pods),
    };
    const manager = { ...etcdManager({ access, agentImage: async () => "agent" }), webhooks: [] };
    const resources = [EtcdCluster, EtcdBackup, EtcdRestore];
    const { writes } = await everyCrashPoint({ resources, manager, nodes: 3 }, async (cluster) => {
      // etcd outlives the operator, but not the scenario.
      etcd = new ModelledEtcd({ now: () => now() });
      made.add(etcd);
      now = () => cluster.now();
      await cluster.create(EtcdCluster, { name, spec: { replicas: size, version: "3.4.23" } as never });
      const whole = (replicas: number) => settled({ cluster, etcd, steps: [] }, replicas);
      await whole(size);
      await patch({ cluster, etcd, steps: [] }, { replicas: 1, version: "3.5.30" });
      const { status } = await whole(1);
      expect(status).toMatchObject({ currentVersion: "3.5.30", ready: "1/1" });
      expect((await cluster.list(Pod)).map(({ metadata }) => metadata?.name)).toEqual(["db-0"]);
    });
    expect(made.size).toBe(writes.length + 1);
  });
});
