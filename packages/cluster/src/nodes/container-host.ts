// The pod, as each of its containers sees it.
import type { Clock, Container, Pod } from "@kubewright/api";
import type { ContainerRuntime, PodNode } from "./container-runtime.js";

/** The pod of a container, as the container uses it. */
export interface ContainerHost {
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly node: Omit<PodNode, "event">;
  /** Ends every wait when the pod is to stop. */
  readonly signal: AbortSignal;
  /** Waits for what the environment of the container needs, and returns it as it is to run; undefined when the pod stops meanwhile. */
  configured(
    container: () => Container,
    onProblem: (problem: string) => void,
  ): Promise<Container | undefined>;
  pod(): Pod;
  changed(): void;
  event(type: "Normal" | "Warning", reason: string, message: string, container?: Container): void;
}
