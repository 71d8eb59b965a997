// The decision to restart a container that ended: by the pod's policy, the container's own, and its rules for exit codes.
import type { Container, Pod } from "@kubewright/api";

export type RestartPolicy = "Always" | "OnFailure" | "Never";

/** An init container that runs beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

/** Init containers that have done their part are not started again, whatever the pod's policy. */
export function initPolicy(pod: Pod, container: Container): RestartPolicy {
  if (isSidecar(container)) return "Always";
  const policy = containerPolicy(pod, container);
  return policy === "Always" ? "OnFailure" : policy;
}

export function containerPolicy({ spec }: Pod, { restartPolicy }: Container): RestartPolicy {
  const said = restartPolicy ?? spec?.restartPolicy;
  return said === "OnFailure" || said === "Never" ? said : "Always";
}

/** Decides by the exit code. */
export function isToRestart(
  policy: RestartPolicy,
  { restartPolicyRules = [] }: Container,
  exitCode: number,
): boolean {
  for (const { action, exitCodes } of restartPolicyRules) {
    if (action !== "Restart" || !exitCodes) continue;
    const isNamed = exitCodes.values?.includes(exitCode) ?? false;
    if (exitCodes.operator === "In" ? isNamed : !isNamed) return true;
  }
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
