// Pod updates that can add violations: other images, other containers, other seccomp profiles.
import type { Pod } from "@kubewright/api";

const podKey = "seccomp.security.alpha.kubernetes.io/pod";
const containerKey = "container.seccomp.security.alpha.kubernetes.io/";

/** Whether the changed pod is to be checked again. */
export function isSignificantChange(pod: Pod, old: Pod): boolean {
  const profileChanged = (key: string): boolean =>
    pod.metadata?.annotations?.[key] !== old.metadata?.annotations?.[key];
  if (profileChanged(podKey)) return true;
  return (["containers", "initContainers", "ephemeralContainers"] as const).some((list) => {
    const now = pod.spec?.[list] ?? [];
    const before = old.spec?.[list] ?? [];
    if (list !== "ephemeralContainers" && now.length !== before.length) return true;
    return now.some(({ name, image }, index) => {
      const same = list === "ephemeralContainers" ? before.find((one) => one.name === name) : before[index];
      return same?.image !== image || profileChanged(`${containerKey}${name}`);
    });
  });
}
