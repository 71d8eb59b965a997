// EtcdClusters in virtual time, on simulated nodes, with a model in place of etcd.
import { Event, PersistentVolumeClaim, Pod, PodDisruptionBudget, Service } from "@kubewright/api";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../api/v1alpha1/etcd-restore.js";
import type { Step } from "../cluster/step.js";
import { etcdManager } from "../manager.js";
import { ModelledEtcd } from "../model/modelled-etcd.js";

const namespace = "default";
const name = "db";

interface World {
  readonly cluster: TestCluster;
  readonly etcd: ModelledEtcd;
  readonly steps: Step[];
}

async function world(): Promise<World & AsyncDisposable> {
  let cluster: TestCluster | undefined;
  const etcd = new ModelledEtcd({ now: () => cluster?.now() ?? 0, catchUp: 2_000 });
  const steps: Step[] = [];
  // Without its webhooks, which refuse what the controller has to cope with, too.
  const agentImage = async () => "etcd-operator:test";
  const onStep = (_: EtcdCluster, step: Step) => steps.push(step);
  const manager = { ...etcdManager({ access: etcd, agentImage, onStep }), webhooks: [] };
  cluster = await testCluster({
    resources: [EtcdCluster, EtcdBackup, EtcdRestore],
    manager,
    nodes: 3,
    leaks: "ignore",
  });
  const close = () => cluster?.close() ?? Promise.resolve();
  return { cluster, etcd, steps, [Symbol.asyncDispose]: close };
}

const create = ({ cluster }: World, spec: object = {}) =>
  cluster.create(EtcdCluster, { name, spec: { replicas: 3, storage: "1Gi", ...spec } as never });
const patch = ({ cluster }: World, spec: object) =>
  cluster.client.patch(EtcdCluster, name, { merge: { spec } as never }, { namespace });
const settled = ({ cluster }: World, replicas: number) =>
  cluster.eventually(
    EtcdCluster,
    name,
    ({ status, metadata }) =>
      status?.phase === "Running" &&
      status.readyReplicas === replicas &&
      status.members?.length === replicas &&
      status.observedGeneration === metadata.generation,
    { timeout: "10m" },
  );
const eventsOf = async ({ cluster }: World) =>
  (await cluster.client.list(Event, { namespace })).items
    .filter(({ involvedObject }) => involvedObject.kind === "EtcdCluster")
    .map(({ reason }) => reason);
const kinds = (steps: readonly Step[]) =>
  steps.map((step) => ("member" in step ? `${step.kind} ${step.member}` : step.kind));

describe("an EtcdCluster", () => {
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
