// The pod that takes a snapshot.
import type { PodSpec } from "@kubewright/api";
import { agentPod } from "@kubewright/runtime/agent";
import { type SnapshotTarget, storeVolumes } from "@kubewright/runtime/backup";
import { type AgentTask, folders } from "./agent-task.js";

export function snapshotPod(
  image: string,
  task: AgentTask & { readonly kind: "snapshot" },
  target: SnapshotTarget,
  clientSecret: string | undefined,
): PodSpec {
  const { volumes, volumeMounts } = storeVolumes(target);
  const tls = clientSecret
    ? [{ name: "client-tls", secret: { secretName: clientSecret, defaultMode: 0o440 } }]
    : [];
  return agentPod({
    image,
    task,
    timeoutSeconds: Math.ceil(task.timeout / 1_000),
    volumes: [...volumes, { name: "scratch", emptyDir: {} }, ...tls],
    volumeMounts: [
      ...volumeMounts,
      { name: "scratch", mountPath: folders.scratch },
      ...tls.map(({ name }) => ({ name, mountPath: folders.tls, readOnly: true })),
    ],
  });
}
