// The prerequisites of a pod: its volumes, and the ConfigMaps and Secrets that the environment of its containers comes from.
import { type Container, Pod } from "@kubewright/api";
import type { EventRecorder } from "../events/event-recorder.js";
import { configurationProblem, environmentReferences, type PodReferences } from "./pod-references.js";
import { mountProblem, volumeSources } from "./pod-volumes.js";

export interface PodNeedsOptions {
  readonly references: PodReferences;
  readonly events: EventRecorder;
  /** Whether somebody binds claims, so that pods have to wait for it. */
  readonly claimsGetBound: boolean;
  readonly pod: () => Pod;
  readonly signal: AbortSignal;
}

export class PodNeeds {
  readonly #options: PodNeedsOptions;

  constructor(options: PodNeedsOptions) {
    this.#options = options;
  }

  /** Waits for what volumes need; false when the pod stops meanwhile. */
  async mounted(): Promise<boolean> {
    const { references, events, claimsGetBound, pod, signal } = this.#options;
    const sources = volumeSources(pod());
    if (sources.length === 0) return !signal.aborted;
    return references.settled({
      references: sources.map(({ reference }) => reference),
      namespace: pod().metadata?.namespace ?? "",
      signal,
      problem: () => mountProblem(references, pod(), { claimsGetBound }),
      onProblem: (problem) => events.warning(Pod, pod(), "FailedMount", problem),
    });
  }

  /** Waits for what the environment of a container needs; false when the pod stops meanwhile. */
  async configured(container: Container, onProblem: (problem: string) => void): Promise<boolean> {
    const { references, pod, signal } = this.#options;
    const needed = environmentReferences(container);
    if (needed.length === 0) return true;
    return references.settled({
      references: needed,
      namespace: pod().metadata?.namespace ?? "",
      signal,
      problem: () => configurationProblem(references, pod(), container),
      onProblem,
    });
  }
}
