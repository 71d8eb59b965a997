// The pod of an agent. An agent is the operator's own image in a pod of its own, which does one task for a custom resource: work that is
// long, or that has to mount a volume. The task is in its environment.
import type { Container, Pod, PodSpec } from "@kubewright/api";

/** The environment variable with the task, as JSON. */
export const agentTaskVariable = "AGENT_TASK";

/** The user of the operator's image, as the Dockerfile of a project has it. */
const user = 65_532;

/** The `fsGroup` of a pod with an agent: it can only read and write the volumes of its group. */
export const agentGroup = user;

/** An agent's pod: what it does, and for how long at most. */
export interface AgentPodOptions {
  /** The operator's own; see `operatorImage`. */
  readonly image: string;
  /** Becomes JSON that everyone who may read the pod can read: mount secrets as files instead. */
  readonly task: object;
  /** The kubelet ends the pod after this time. */
  readonly timeoutSeconds: number;
  readonly volumes?: PodSpec["volumes"];
  readonly volumeMounts?: Container["volumeMounts"];
}

/**
 * The spec of an agent's pod. It is never restarted, has no rights in the cluster, and meets the pod security standard "restricted".
 *
 * @example
 * await ctx.create(Pod, {
 *   metadata: { name: `${backup.metadata.name}-agent` },
 *   spec: agentPod({ image: await image(), task: { file: "a.gz" }, timeoutSeconds: 1_800 }),
 * });
 */
export function agentPod(options: AgentPodOptions): PodSpec {
  const { image, task, timeoutSeconds, volumes = [], volumeMounts = [] } = options;
  return {
    restartPolicy: "Never",
    activeDeadlineSeconds: timeoutSeconds,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The agent can only write to a claim whose folders belong to its group.
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: agentGroup,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [{ ...agentContainer(image, task), volumeMounts }],
    volumes,
  };
}

/** The container of an agent, for a pod that has others: an init container, for example. */
export const agentContainer = (image: string, task: object): Container => ({
  name: "agent",
  image,
  args: ["agent"],
  env: [{ name: agentTaskVariable, value: JSON.stringify(task) }],
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
});

/** The task of an agent's pod; undefined for other pods. */
export function agentTask({ spec }: Pod): unknown {
  const value = spec?.containers[0]?.env?.find(({ name }) => name === agentTaskVariable)?.value;
  return value === undefined ? undefined : JSON.parse(value);
}
