// Cases with a cluster of their own: backups and restores, recovery, autoscaling.
import { PersistentVolumeClaim, Secret } from "@kubewright/api";
import { EtcdBackup } from "../../operators/etcd/src/api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../../operators/etcd/src/api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../../operators/etcd/src/api/v1alpha1/etcd-restore.js";
import { eventually, namespace } from "../process-nodes/process-cluster.js";
import { newest } from "./etcd-binaries.js";
import type { EtcdWorld } from "./etcd-world.js";
import { Writer } from "./writer.js";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

type Target = NonNullable<Parameters<EtcdWorld["create"]>[1]>;

/** Backup, disaster, restore into a new cluster that grows to its size. */
async function backUpAndRestore(world: EtcdWorld, name: string, target: Target): Promise<void> {
  const restored = `${name}-new`;
  await world.create(name, { replicas: 3 });
  await world.settled(name, 3);
  const writer = await new Writer(world, name).start();
  await sleep(2_000);
  await writer.stop();
  const backup = { metadata: { name: `${name}-one`, namespace }, spec: { clusterName: name, target } };
  await world.client.create(EtcdBackup, backup as never);
  const taken = await ended(world, EtcdBackup, `${name}-one`);
  if (taken.status?.phase !== "Succeeded") throw new Error(`the backup failed: ${taken.status?.message}`);
  await world.remove(name);
  await world.client.create(EtcdRestore, {
    metadata: { name: restored, namespace },
    spec: {
      source: { backupName: `${name}-one` },
      cluster: { name: restored, spec: { replicas: 3, version: newest, storage: "1Gi" } },
    },
  });
  const result = await ended(world, EtcdRestore, restored);
  if (result.status?.phase !== "Succeeded") throw new Error(`the restore failed: ${result.status?.message}`);
  await world.settled(restored, 3);
  await writer.check(restored);
  await world.remove(restored);
}

async function ended<Kind extends typeof EtcdBackup | typeof EtcdRestore>(
  world: EtcdWorld,
  kind: Kind,
  name: string,
): Promise<EtcdBackup | EtcdRestore> {
  let last: EtcdBackup | EtcdRestore | undefined;
  await eventually(
    async () => {
      last = await world.client.get(kind as typeof EtcdBackup, name, { namespace });
      return last.status?.phase === "Succeeded" || last.status?.phase === "Failed";
    },
    () => `${kind.kind} ${name}: ${JSON.stringify(last?.status)} ${world.errors.slice(-2).join("\n")}`,
    90_000,
  );
  return last as EtcdBackup;
}

export async function backupToClaim(world: EtcdWorld): Promise<void> {
  await world.client.create(PersistentVolumeClaim, {
    metadata: { name: "backups", namespace },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
  await backUpAndRestore(world, "claimed", { claim: { claimName: "backups" } });
}

export async function backupToBucket(world: EtcdWorld): Promise<void> {
  await world.startBucket();
  const s3 = { endpoint: "http://bucket.default.svc:9000", bucket: "etcd", credentialsSecret: "bucket-key" };
  await world.client.create(Secret, {
    metadata: { name: "bucket-key", namespace },
    stringData: { accessKeyId: "key", secretAccessKey: "secret" },
  });
  await backUpAndRestore(world, "stored", { s3 });
}

/** Confirmed recovery from one member after the others are gone for good. */
export async function recovery(world: EtcdWorld): Promise<void> {
  const cluster = "survivor";
  await world.create(cluster, { replicas: 3, failureGraceSeconds: 60 });
  await world.settled(cluster, 3);
  const writer = await new Writer(world, cluster).start();
  await sleep(1_000);
  await writer.stop();
  for (const member of [0, 2]) {
    await world.nodes.exec(`${cluster}-${member}`, ["rm", "-rf", "/var/lib/etcd/data/member"]);
    world.signal(`${cluster}-${member}`, "SIGKILL");
  }
  await world.until(cluster, ({ status }) => status?.phase === "QuorumLost");
  await sleep(3_000);
  const { status } = await world.get(cluster);
  if (status?.members?.length !== 3) throw new Error("a member was removed without a quorum");
  const annotations = { "etcd.database.coreos.com/recover-from-member": `${cluster}-1` };
  const merge = { metadata: { annotations } } as never;
  await world.client.patch(EtcdCluster, cluster, { merge }, { namespace });
  await world.until(cluster, (now) => now.status?.recoveredBy === `${cluster}-1`);
  await world.settled(cluster, 3);
  await writer.check();
  await world.remove(cluster);
}

/** Reads above the target add members, and their end takes them away. */
export async function autoscaled(world: EtcdWorld): Promise<void> {
  const cluster = "busy";
  await world.create(cluster, {
    replicas: 1,
    autoscaling: { min: 1, max: 3, targetReadsPerSecondPerMember: 100, cooldownSeconds: 10 },
  });
  await world.settled(cluster, 1);
  const client = world.member(`${cluster}-0`, cluster);
  let isOver = false;
  const readers = Array.from({ length: 8 }, async () => {
    while (!isOver) await client.get("x").catch(() => sleep(50));
  });
  await world.settled(cluster, 3);
  isOver = true;
  await Promise.all(readers);
  client.close();
  await world.settled(cluster, 1);
  await world.remove(cluster);
}
