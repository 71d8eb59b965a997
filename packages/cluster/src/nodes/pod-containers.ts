// The containers of a pod, in their order: init containers one by one, sidecars beside them, then all the others; at the end
// sidecars last, in reverse.
import type { Container, Pod } from "@kubewright/api";
import type { ContainerHost } from "./container-host.js";
import { ContainerLifecycle, type ContainerRole } from "./container-lifecycle.js";
import { containerPolicy, initPolicy, isSidecar } from "./restart-policy.js";

export class PodContainers {
  readonly init: readonly ContainerLifecycle[];
  readonly main: readonly ContainerLifecycle[];
  readonly #ephemeral: ContainerLifecycle[] = [];
  readonly #host: ContainerHost;
  readonly #report: (error: unknown) => void;
  #isInitialized = false;

  constructor(pod: Pod, host: ContainerHost, report: (error: unknown) => void) {
    this.#host = host;
    this.#report = report;
    const life = (container: Container, role: ContainerRole): ContainerLifecycle =>
      new ContainerLifecycle(container, role, host);
    this.init = (pod.spec?.initContainers ?? []).map((container) =>
      life(container, {
        kind: isSidecar(container) ? "sidecar" : "init",
        restart: initPolicy(pod, container),
      }),
    );
    this.main = (pod.spec?.containers ?? []).map((container) =>
      life(container, { kind: "main", restart: containerPolicy(pod, container) }),
    );
    this.#isInitialized = this.init.length === 0;
    if (!this.#isInitialized) for (const one of [...this.init, ...this.main]) one.holdBack();
  }

  get ephemeral(): readonly ContainerLifecycle[] {
    return this.#ephemeral;
  }

  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** Runs them until all have ended for good, or the pod stops. */
  async run(pod: Pod): Promise<void> {
    await this.#initialize();
    if (!this.#isInitialized) return this.#stopSidecars(0);
    this.update(pod);
    await Promise.all(this.main.map((one) => one.run()));
    if (!this.#host.signal.aborted) await this.#stopSidecars(30_000);
  }

  /** Follows what may change in the spec of a running pod: images, resources, ephemeral containers. */
  update({ spec }: Pod): void {
    for (const one of [...this.init, ...this.main]) {
      const said = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find(
        ({ name }) => name === one.container.name,
      );
      if (said && said !== one.container) one.respec(said);
    }
    for (const container of spec?.ephemeralContainers ?? []) {
      if (this.#ephemeral.some((one) => one.container.name === container.name)) continue;
      const one = new ContainerLifecycle(container, { kind: "ephemeral", restart: "Never" }, this.#host);
      this.#ephemeral.push(one);
      one.run().catch(this.#report);
    }
  }

  /** Ends them within the grace period, in milliseconds. The signal of the host has to be aborted before. */
  async stop(gracePeriod: number): Promise<void> {
    const begun = this.#host.clock.monotonic();
    const all = [...this.main, ...this.#ephemeral, ...this.init.filter(({ role }) => role.kind === "init")];
    for (const one of all) one.stop(gracePeriod);
    await Promise.all(all.map(({ done }) => done));
    await this.#stopSidecars(Math.max(0, gracePeriod - (this.#host.clock.monotonic() - begun)));
  }

  close(): void {
    for (const one of [...this.init, ...this.main, ...this.#ephemeral]) one.close();
  }

  async #initialize(): Promise<void> {
    for (const one of this.init) {
      const run = one.run();
      if (one.role.kind === "sidecar") {
        run.catch(this.#report);
        await one.started();
      } else await run;
      const isDone = one.role.kind === "sidecar" ? one.isStarted : one.terminated?.exitCode === 0;
      if (this.#host.signal.aborted || !isDone) return;
    }
    this.#isInitialized = true;
  }

  async #stopSidecars(gracePeriod: number): Promise<void> {
    for (const one of this.init.filter(({ role }) => role.kind === "sidecar").reverse()) {
      one.retire();
      one.stop(gracePeriod);
      // One that waits for its next start just never has it.
      if (one.isRunning) await one.done;
    }
  }
}
