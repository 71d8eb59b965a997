// The pods and containers of agents.
import type { Container, PodSpec } from "@kubewright/api";
import { type SnapshotTarget, storeVolumes } from "@kubewright/runtime/backup";
import { type AgentTask, folders, taskVariable } from "./agent-task.js";

export const agentContainer = (image: string, task: AgentTask): Container => ({
  name: "agent",
  image,
  args: ["agent"],
  env: [{ name: taskVariable, value: JSON.stringify(task) }],
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
});

/** The pod that takes a snapshot. */
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
  return {
    restartPolicy: "Never",
    activeDeadlineSeconds: Math.ceil(task.timeout / 1_000),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        ...agentContainer(image, task),
        volumeMounts: [
          ...volumeMounts,
          { name: "scratch", mountPath: folders.scratch },
          ...tls.map(({ name }) => ({ name, mountPath: folders.tls, readOnly: true })),
        ],
      },
    ],
    volumes: [...volumes, { name: "scratch", emptyDir: {} }, ...tls],
  };
}
