// The pod of an agent, and what it is told about the replica set.
import { agentPod } from "@kubewright/runtime/agent";
import { type SnapshotTarget, storeVolumes } from "@kubewright/runtime/backup";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { loginFiles } from "../client/login-files.js";
import { addressOf, agentLabel, managedBy, placeOf } from "../replica-set/names.js";
import { certificateSecret } from "../replica-set/tls.js";
import { type AgentTask, folders } from "./agent-task.js";

/** Members with data that are healthy, secondaries first; the primary is spared where it can be. */
export function hostsOf(mongodb: MongoDBCommunity): readonly string[] {
  const data = (mongodb.status?.members ?? []).filter(
    ({ state, healthy }) => healthy && (state === "PRIMARY" || state === "SECONDARY"),
  );
  return data
    .toSorted((a, b) => Number(a.state === "PRIMARY") - Number(b.state === "PRIMARY"))
    .map(({ name }) => addressOf(placeOf(mongodb), name));
}

/** The volumes with what the agent logs in with, and with the CA where members take TLS. */
function memberVolumes({ cluster, loginSecret, task: { isSecure, login: who } }: AgentPodOptions) {
  const login = {
    secretName: loginSecret,
    items: loginFiles(who).map((key) => ({ key, path: key })),
  };
  const tls = { secretName: certificateSecret(cluster), items: [{ key: "ca.crt", path: "ca.crt" }] };
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
  /** The Secret with what the agent logs in with. */
  readonly loginSecret: string;
}

/** The pod that does the work of a backup or restore. */
export function agentPodOf(owner: string, suffix: string, options: AgentPodOptions) {
  const { image, task, target } = options;
  const store = storeVolumes(target);
  const members = memberVolumes(options);
  return {
    metadata: { name: `${owner}-${suffix}`, labels: { ...managedBy, [agentLabel]: owner.slice(0, 63) } },
    spec: agentPod({
      image,
      task,
      timeoutSeconds: Math.ceil(task.timeout / 1_000),
      volumes: [
        ...store.volumes,
        { name: "scratch", emptyDir: {} },
        ...members.map(({ name, secret }) => ({ name, secret })),
      ],
      volumeMounts: [
        ...store.volumeMounts,
        { name: "scratch", mountPath: folders.scratch },
        ...members.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
      ],
    }),
  };
}
