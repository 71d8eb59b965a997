// The prerequisites of a pod: its volumes, the ConfigMaps and Secrets that the environment of its containers comes from, and
// the parts of volumes that this environment names.
import { type Container, Pod } from "@kubewright/api";
import type { EventRecorder } from "../events/event-recorder.js";
import { containerEnvironment, type ValueSource } from "./container-environment.js";
import { configurationProblem, environmentReferences, type PodReferences } from "./pod-references.js";
import { mountProblem, volumeSources } from "./pod-volumes.js";
import type { WatchedObject } from "./reference-changes.js";
import { hasSubPathExpr, subPathProblem, withSubPaths } from "./sub-path.js";

export interface PodNeedsOptions extends ValueSource {
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

  /**
   * Waits for what the environment of a container needs, and returns the container with the parts of volumes it mounts;
   * undefined when the pod stops meanwhile.
   */
  async configured(
    current: () => Container,
    onProblem: (problem: string) => void,
  ): Promise<Container | undefined> {
    const { references, pod, signal } = this.#options;
    const container = current();
    const named = environmentReferences(container);
    const needed = hasSubPathExpr(container) ? [...named, this.#itself()] : named;
    if (needed.length === 0) return container;
    const isSettled = await references.settled({
      references: needed,
      namespace: pod().metadata?.namespace ?? "",
      signal,
      problem: async () =>
        (await configurationProblem(references, pod(), container)) ?? (await this.#subPathProblem(container)),
      onProblem,
    });
    if (!isSettled) return undefined;
    // Its image may be another by now.
    return hasSubPathExpr(container) ? withSubPaths(current(), await this.#variables(container)) : current();
  }

  /** The pod: labels and annotations in the environment may change. */
  #itself(): WatchedObject {
    return { kind: "Pod", name: this.#options.pod().metadata?.name ?? "" };
  }

  async #subPathProblem(container: Container): Promise<string | undefined> {
    if (!hasSubPathExpr(container)) return undefined;
    return subPathProblem(container, await this.#variables(container));
  }

  #variables(container: Container): Promise<ReadonlyMap<string, string>> {
    return containerEnvironment(this.#options.pod(), container, this.#options);
  }
}
