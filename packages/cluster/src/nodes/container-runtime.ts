// How a node runs containers. The kubelet knows pods, statuses and restarts; what is behind this interface knows how a
// container is brought to life, ended and listened to. The simulated one decides outcomes by rules; one that runs
// programs of this machine would stand beside it.
import type { Container, Pod } from "@kubewright/api";

/** A container that is to run. */
export interface ContainerRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** How often it ran before. */
  readonly attempt: number;
}

/** How a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  /** `Completed` or `Error`, by the code, unless told: `OOMKilled`. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface RunningContainer {
  /** As `containerID` shows it, with its scheme. */
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  /** Whether the probe would succeed now. */
  probe(kind: "startup" | "readiness"): boolean;
  /** Asks it to end, and ends it when the grace period (in milliseconds) is over. */
  stop(gracePeriod: number): void;
}

/** Why an image cannot be had; the reason shows in the container's status. */
export class ImageError extends Error {
  override readonly name = "ImageError";
  readonly reason: "ErrImagePull" | "InvalidImageName" | "ErrImageNeverPull";

  constructor(reason: ImageError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ContainerRuntime {
  /** Makes the image available and returns its identity; throws an ImageError when it cannot be. */
  pull(request: ContainerRequest): Promise<string>;
  start(request: ContainerRequest): RunningContainer;
  /** What a container of the pod has written, oldest first; of its last run, or of the one before. */
  logs(podUid: string, container: string, options: { readonly previous: boolean }): readonly LogLine[];
  /** The pod is gone: nothing of it is asked for any more. */
  forget(podUid: string): void;
}

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}
