// The pod of an agent, and what it is told about the replica set.
import type { PodSpec } from "@kubewright/api";
import { type SnapshotTarget, storeVolumes } from "@kubewright/runtime/backup";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { addressOf, operatorSecret, placeOf } from "../replica-set/names.js";
import { certificateSecret } from "../replica-set/tls.js";
import { type AgentTask, folders, taskVariable } from "./agent-task.js";

/** Members with data that are healthy, secondaries first; the primary is spared where it can be. */
export function hostsOf(mongodb: MongoDBCommunity): readonly string[] {
  const data = (mongodb.status?.members ?? []).filter(
    ({ state, healthy }) => healthy && (state === "PRIMARY" || state === "SECONDARY"),
  );
  return data
    .toSorted((a, b) => Number(a.state === "PRIMARY") - Number(b.state === "PRIMARY"))
    .map(({ name }) => addressOf(placeOf(mongodb), name));
}

/** The volumes with the operator's password, and with the CA where members take TLS. */
function memberVolumes(name: string, isSecure: boolean) {
  const login = { secretName: operatorSecret(name), items: [{ key: "password", path: "password" }] };
  const tls = { secretName: certificateSecret(name), items: [{ key: "ca.crt", path: "ca.crt" }] };
  return [
    { name: "login", mountPath: folders.login, secret: { ...login, defaultMode: 0o440 } },
    ...(isSecure
      ? [{ name: "client-tls", mountPath: folders.tls, secret: { ...tls, defaultMode: 0o440 } }]
      : []),
  ];
}

export interface AgentPodOptions {
  readonly image: string;
  readonly task: AgentTask;
  readonly target: Pick<SnapshotTarget, "claim" | "s3">;
  /** The name of the MongoDBCommunity. */
  readonly cluster: string;
}

export function agentPod({ image, task, target, cluster }: AgentPodOptions): PodSpec {
  const store = storeVolumes(target);
  const members = memberVolumes(cluster, task.isSecure);
  return {
    restartPolicy: "Never",
    activeDeadlineSeconds: Math.ceil(task.timeout / 1_000),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The user of the operator's image, which a claim's folder has to be open to.
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "agent",
        image,
        args: ["agent"],
        env: [{ name: taskVariable, value: JSON.stringify(task) }],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [
          ...store.volumeMounts,
          { name: "scratch", mountPath: folders.scratch },
          ...members.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
        ],
      },
    ],
    volumes: [
      ...store.volumes,
      { name: "scratch", emptyDir: {} },
      ...members.map(({ name, secret }) => ({ name, secret })),
    ],
  };
}
