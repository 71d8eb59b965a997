// The current and last state of a container, as its status reports them.
import type { ContainerState, ContainerStateTerminated, Pod } from "@kubewright/api";

export class ContainerHistory {
  state: ContainerState = { waiting: { reason: "ContainerCreating" } };
  /** How it ended the last time. */
  last: ContainerStateTerminated | undefined;
  restarts = 0;

  /** Continues the history that an earlier kubelet wrote. */
  resume({ status }: Pod, name: string, field: "containerStatuses" | "initContainerStatuses"): void {
    const before = status?.[field]?.find((one) => one.name === name);
    this.restarts = before?.restartCount ?? 0;
    this.last = before?.lastState?.terminated;
  }

  get terminated(): ContainerStateTerminated | undefined {
    return this.state.terminated;
  }

  get isRunning(): boolean {
    return this.state.running !== undefined;
  }

  get hasRun(): boolean {
    return this.isRunning || this.terminated !== undefined || this.last !== undefined;
  }

  wait(reason: string, message?: string): void {
    this.#become({ waiting: { reason, ...(message === undefined ? {} : { message }) } });
  }

  start(startedAt: string): void {
    this.#become({ running: { startedAt } });
  }

  end(terminated: ContainerStateTerminated): void {
    this.state = { terminated };
  }

  #become(state: ContainerState): void {
    this.last = this.state.terminated ?? this.last;
    this.state = state;
  }
}
