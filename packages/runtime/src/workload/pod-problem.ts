// The problem of a pod that does not become ready, in words its owner can act on.
//
// Texts stay the same while the cause does: times of back-offs, names of pods and counts of restarts are left out, or a
// status that repeats them would change with every one.
import type { ContainerStatus, Pod } from "@kubewright/api";
import type { Problem } from "./failure.js";

/** The problem of a pod, if it has one; a pod that is merely starting has none. */
export function podProblem(pod: Pod): Problem | undefined {
  const { status } = pod;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const container of containers) {
    const problem = containerProblem(container);
    if (problem) return problem;
  }
  return unschedulable(pod);
}

/** The problem most pods have, with how many of them have it. */
export function worstProblem(pods: readonly Pod[]): Problem | undefined {
  const counts = new Map<string, { readonly problem: Problem; count: number }>();
  for (const pod of pods) {
    if (pod.metadata?.deletionTimestamp) continue;
    const problem = podProblem(pod);
    if (!problem) continue;
    const known = counts.get(problem.message);
    if (known) known.count += 1;
    else counts.set(problem.message, { problem, count: 1 });
  }
  const [worst] = [...counts.values()].sort(
    (a, b) => b.count - a.count || (a.problem.message < b.problem.message ? -1 : 1),
  );
  if (!worst) return undefined;
  const { problem, count } = worst;
  return { ...problem, message: `${count} of ${pods.length} pods: ${problem.message}` };
}

function containerProblem({ name, image, state, lastState }: ContainerStatus): Problem | undefined {
  const { reason = "", message = "" } = state?.waiting ?? {};
  switch (reason) {
    case "ErrImagePull":
    case "ImagePullBackOff":
    case "InvalidImageName":
    case "ErrImageNeverPull":
      return {
        reason: "ImagePullFailed",
        message: `image ${image} of container ${name} cannot be pulled; check its name and the pull secrets`,
      };
    case "CrashLoopBackOff":
      return crashLoop(name, lastState);
    case "CreateContainerConfigError":
    case "CreateContainerError":
      return { reason: "ContainerNotCreated", message: `container ${name} cannot be created: ${message}` };
    default:
      return undefined;
  }
}

function crashLoop(name: string, last: ContainerStatus["lastState"]): Problem {
  const { exitCode, reason } = last?.terminated ?? {};
  if (reason === "OOMKilled")
    return { reason: "OutOfMemory", message: `container ${name} uses more memory than its limit allows` };
  const how = exitCode === undefined ? "" : ` with code ${exitCode}`;
  return { reason: "CrashLooping", message: `container ${name} exits${how} again and again; see its logs` };
}

function unschedulable({ status }: Pod): Problem | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
  return { reason: "Unschedulable", message: `no node takes it: ${scheduled.message ?? ""}` };
}
