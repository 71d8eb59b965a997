// The etcd operator on the cluster of KUBECONFIG, run from here: members are reached through the API server, as with kubectl port-forward.
// Where the nodes of that cluster are simulated no etcd runs, and a model stands for it, which the name of the test says. Only
// `npm run test:real` runs it; it installs the operator's kinds and leaves them.
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, Service, StorageClass } from "@kubewright/api";
import { type Client, clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { isRealCluster, testClusterFromEnvironment } from "@kubewright/testing/environment";
import { describe, expect, test } from "vitest";
import { EtcdBackup } from "../../operators/etcd/src/api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../../operators/etcd/src/api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../../operators/etcd/src/api/v1alpha1/etcd-restore.js";
import { NetworkAccess } from "../../operators/etcd/src/client/etcd-access.js";
import { isSettled } from "../../operators/etcd/src/controllers/fixtures/cluster-world.js";
import { etcdManager } from "../../operators/etcd/src/manager.js";
import { ModelledEtcd } from "../../operators/etcd/src/model/modelled-etcd.js";

const timeout = "3m";
const name = "my-etcd-cluster";

/** Whether every node of the cluster is simulated. */
async function isSimulated(): Promise<boolean> {
  await using client = clientFromKubeConfig(await loadKubeConfig({ env: process.env }));
  const { items } = await client.list(Node);
  return items.every(({ status }) => status?.nodeInfo?.containerRuntimeVersion.startsWith("simulated://"));
}

/** Volumes for a cluster without a default StorageClass, as one of a kube-apiserver alone is. They go with what is returned. */
async function makeVolumes(client: Client): Promise<AsyncDisposable | undefined> {
  const { items } = await client.list(StorageClass);
  const isDefault = "storageclass.kubernetes.io/is-default-class";
  if (items.some(({ metadata }) => metadata?.annotations?.[isDefault] === "true")) return undefined;
  const names = [0, 1, 2].map((at) => `kubewright-etcd-${at}`);
  for (const each of names)
    await client.create(PersistentVolume, {
      metadata: { name: each },
      spec: {
        capacity: { storage: "10Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: `/tmp/${each}` },
      },
    });
  return {
    async [Symbol.asyncDispose]() {
      for (const each of names) await client.delete(PersistentVolume, each);
    },
  };
}

const withModel = isRealCluster() && (await isSimulated());
const etcd = withModel ? "a model of etcd, since all nodes are simulated" : "real etcd";

describe.skipIf(!isRealCluster())(`the etcd operator on a real cluster, with ${etcd}`, () => {
  test("an EtcdCluster grows, heals, shrinks and goes", { timeout: 600_000 }, async () => {
    const access = withModel
      ? new ModelledEtcd({ now: () => Date.now(), catchUp: 500 })
      : new NetworkAccess({ path: "forward" });
    const agentImage = async () => "etcd-operator";
    await using cluster = await testClusterFromEnvironment({
      resources: [EtcdCluster, EtcdBackup, EtcdRestore],
      manager: { ...etcdManager({ access, agentImage }), webhooks: [] },
      namespace: "kubewright-etcd",
    });
    const settled = (replicas: number) =>
      cluster.eventually(EtcdCluster, name, isSettled(replicas), { timeout });
    await using _volumes = withModel ? await makeVolumes(cluster.client) : undefined;
    await cluster.create(EtcdCluster, { name, spec: { replicas: 3, storage: "10Gi" } });
    const { status } = await settled(3);
    const { metadata } = await cluster.get(Pod, `${name}-1`);
    await cluster.delete(Pod, `${name}-1`);
    await cluster.eventually(Pod, `${name}-1`, (pod) => pod.metadata?.uid !== metadata?.uid, { timeout });
    const ids = (members: typeof status) => members?.members?.map(({ id }) => id);
    expect(ids((await settled(3)).status)).toEqual(ids(status));
    await cluster.client.scale(EtcdCluster, name, 1, { namespace: "kubewright-etcd" });
    await settled(1);
    await cluster.eventuallyGone(PersistentVolumeClaim, `data-${name}-2`, { timeout });
    await cluster.delete(EtcdCluster, name);
    await cluster.eventuallyGone(Pod, `${name}-0`, { timeout });
    await cluster.eventuallyGone(Service, `${name}-client`, { timeout });
    expect(cluster.errors).toEqual([]);
  });
});
