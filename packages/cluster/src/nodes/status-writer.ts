// Brings the status of a pod to the API server: one write at a time, what changed meanwhile in the next one, nothing when
// nothing changed.
import { type Clock, deepEqual, isNotFound, Pod, type PodStatus, type Timer } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { Turnstile } from "./turnstile.js";

export interface StatusWriterOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly pod: () => Pod;
  readonly status: () => PodStatus;
  /** The server answered with this. */
  readonly onWritten: (pod: Pod) => void;
  readonly report: (where: string, error: unknown) => void;
  /** Shared by all who write. */
  readonly turnstile: Turnstile;
}

const retryDelay = 1000;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #written: PodStatus | undefined;
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;
  #isDirty = false;
  #isHeld = false;
  #isClosed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** The status may have changed. */
  changed(): void {
    this.#isDirty = true;
    if (!this.#isClosed && !this.#isHeld) this.#writing ??= this.#writeAll();
  }

  /** Resolves when what is written is what is, or cannot be written now. */
  async flush(): Promise<void> {
    this.changed();
    await this.#writing;
  }

  /** Writes nothing until released, while the node is down. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Writes again, all of it: others may have said meanwhile what they thought. */
  release(): void {
    this.#isHeld = false;
    this.#written = undefined;
    this.changed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { clock, report } = this.#options;
    const name = this.#options.pod().metadata?.name;
    const done = clock.busy(`status of pod ${name}`);
    // Changes that come together are one.
    await Promise.resolve();
    try {
      while (this.#isDirty && !this.#isClosed && !this.#isHeld) {
        await this.#options.turnstile.pass(() => this.#write());
      }
    } catch (error) {
      if (!isNotFound(error)) {
        report(`status of pod ${name}`, error);
        this.#tryAgain();
      }
    }
    this.#writing = undefined;
    done();
  }

  #tryAgain(): void {
    if (this.#isClosed) return;
    this.#isDirty = true;
    this.#retry?.cancel();
    this.#retry = this.#options.clock.setTimer(retryDelay, () => this.changed());
  }

  async #write(): Promise<void> {
    if (this.#isClosed || this.#isHeld) return;
    this.#isDirty = false;
    const { client, pod, status: statusOf, onWritten } = this.#options;
    const { name = "", namespace, uid } = pod().metadata ?? {};
    const status = statusOf();
    if (deepEqual(status, this.#written)) return;
    // A reason that no longer holds has to be taken away: conditions are merged.
    const conditions = status.conditions?.map((one) => ({ reason: null, message: null, ...one }));
    const strategic = { metadata: { uid }, status: { ...status, conditions } };
    onWritten(await client.patch(Pod, name, { strategic }, { namespace, subresource: "status" }));
    this.#written = status;
  }
}
