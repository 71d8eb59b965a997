// The pods and containers of agents.
import type { Container, PodSpec, Volume } from "@kubewright/api";
import type { SnapshotTarget } from "../api/v1alpha1/snapshot-place.js";
import { type AgentTask, folders, type StorePlace, taskVariable } from "./agent-task.js";

/** Where a target lies, for the agent. */
export function placeOfStore(
  { claim, s3 }: Pick<SnapshotTarget, "claim" | "s3">,
  cluster: string,
): StorePlace {
  if (s3)
    return {
      kind: "s3",
      endpoint: s3.endpoint,
      bucket: s3.bucket,
      prefix: s3.prefix ?? cluster,
      region: s3.region ?? "us-east-1",
    };
  return { kind: "claim", folder: claim?.folder ?? cluster };
}

/** The volumes with snapshots and credentials, and where the agent mounts them. */
export function storeVolumes({ claim, s3 }: Pick<SnapshotTarget, "claim" | "s3">): {
  readonly volumes: readonly Volume[];
  readonly volumeMounts: NonNullable<Container["volumeMounts"]>;
} {
  const volumes: Volume[] = [];
  const volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[] = [];
  if (claim) {
    volumes.push({ name: "snapshots", persistentVolumeClaim: { claimName: claim.claimName } });
    volumeMounts.push({ name: "snapshots", mountPath: folders.snapshots });
  }
  if (s3) {
    volumes.push({ name: "credentials", secret: { secretName: s3.credentialsSecret, defaultMode: 0o440 } });
    volumeMounts.push({ name: "credentials", mountPath: folders.credentials, readOnly: true });
  }
  return { volumes, volumeMounts };
}

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
