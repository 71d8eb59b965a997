// How the first member of a cluster gets its data from a snapshot: one container fetches and checks it, the next makes a data directory
// of it with etcd's own tool.
import type { PodSpec } from "@kubewright/api";
import { agentContainer, agentGroup } from "@kubewright/runtime/agent";
import { placeOfStore, type SnapshotTarget, storeVolumes } from "@kubewright/runtime/backup";
import type { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { imageOf, placeOf } from "../cluster/member-pod.js";
import { memberName, peerURL } from "../cluster/names.js";
import { parseVersion } from "../cluster/version-path.js";

/** The containers and volumes that fill the volume of the first member from a snapshot. */
export type RestoreParts = Pick<PodSpec, "initContainers" | "volumes" | "securityContext">;

/** A snapshot that is there. */
export interface FoundSnapshot {
  readonly target: Pick<SnapshotTarget, "claim" | "s3">;
  /** The cluster it is of, after which its folder is named by default. */
  readonly cluster: string;
  readonly file: string;
  readonly sha256: string | undefined;
}

/** The snapshot that a cluster begins with; a text that says why there is none yet. */
export async function findSnapshot(
  cluster: EtcdCluster,
  backupOf: (name: string) => Promise<EtcdBackup | undefined>,
): Promise<FoundSnapshot | string> {
  const { backupName, snapshot } = cluster.spec.restoreFrom ?? {};
  if (snapshot) {
    const { claim, s3, file, sha256 } = snapshot;
    return { target: { claim, s3 }, cluster: placeOf(cluster).name, file, sha256 };
  }
  const backup = backupName === undefined ? undefined : await backupOf(backupName);
  if (!backup) return `there is no EtcdBackup ${backupName}`;
  const { phase, file, sha256 } = backup.status ?? {};
  if (phase !== "Succeeded" || file === undefined) return `EtcdBackup ${backupName} is ${phase ?? "new"}`;
  return { target: backup.spec.target, cluster: backup.spec.clusterName, file, sha256 };
}

const dataVolume = { name: "data", mountPath: "/var/lib/etcd" };
const dataFolder = "/var/lib/etcd/data";
const fetched = { name: "restore", mountPath: "/restore" };

export function restoreParts(
  cluster: EtcdCluster,
  snapshot: FoundSnapshot,
  agentImage: string,
): RestoreParts {
  const { volumes, volumeMounts } = storeVolumes(snapshot.target);
  const place = placeOf(cluster);
  const member = memberName(place.name, 0);
  const url = peerURL(place, member, cluster.spec.tls?.peer !== undefined);
  const task = {
    kind: "fetch",
    store: placeOfStore(snapshot.target, snapshot.cluster),
    file: snapshot.file,
    sha256: snapshot.sha256,
    target: `${fetched.mountPath}/snapshot.db`,
    clear: dataFolder,
  } as const;
  return {
    initContainers: [
      {
        ...agentContainer(agentImage, task),
        name: "fetch",
        volumeMounts: [...volumeMounts, fetched, dataVolume],
      },
      {
        name: "restore",
        image: imageOf(cluster, cluster.spec.version),
        command: [...toolOf(cluster.spec.version), "snapshot", "restore", task.target],
        args: [
          `--data-dir=${dataFolder}`,
          `--name=${member}`,
          `--initial-cluster=${member}=${url}`,
          `--initial-advertise-peer-urls=${url}`,
          `--initial-cluster-token=${cluster.metadata.uid ?? place.name}`,
        ],
        env: [{ name: "ETCDCTL_API", value: "3" }],
        terminationMessagePolicy: "FallbackToLogsOnError",
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [fetched, dataVolume],
      },
    ],
    volumes: [...volumes, { name: fetched.name, emptyDir: {} }],
    // The agent is not root, as etcd is: it has to read the claim, and to clear what an earlier attempt has left in the volume.
    securityContext: { fsGroup: agentGroup },
  };
}

/** etcd 3.5 has a tool of its own for files; before, etcdctl does it. */
function toolOf(version: string): readonly string[] {
  const known = parseVersion(version);
  return known && known.major === 3 && known.minor < 5 ? ["etcdctl"] : ["etcdutl"];
}
