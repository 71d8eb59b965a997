// Certificates the manager generates: kept in a store that replicas may share, created and rotated by the first of them.
import { type Clock, sleep, TimeoutError, type Timer } from "@kubewright/api";
import { ConnectionError, isTransient } from "@kubewright/client";
import type { CertificateSet } from "./certificate-set.js";
import type { CertificateSource, ServedCertificate } from "./certificate-source.js";
import { nextStep, type RotationPolicy, taken } from "./rotation.js";

/** Keeps a set of certificates. */
export interface CertificateStore {
  read(): Promise<CertificateSet | undefined>;
  /** Replaces what was read last; false when somebody else has done so meanwhile. */
  write(set: CertificateSet): Promise<boolean>;
  /** Calls back when the set may have changed; returns how to end that. */
  watch(onChange: () => void): () => Promise<void>;
}

export interface ManagedCertificatesOptions {
  readonly store: CertificateStore;
  readonly policy: RotationPolicy;
  readonly clock: Clock;
  /** True when the CA bundles of all configurations are up to date. */
  readonly isTrusted: () => boolean;
  /** Called with each step that was taken. */
  readonly onStep: (step: "replace" | "stage" | "promote", why: string | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** The longest time between two looks at the clock, which may jump. */
const longestWait = 60 * 60 * 1000;
const firstRetry = 5_000;
const lastRetry = 5 * 60 * 1000;

export class ManagedCertificates implements CertificateSource {
  readonly #options: ManagedCertificatesOptions;
  #onChange: (served: ServedCertificate) => void = () => undefined;
  #known: CertificateSet | undefined;
  #timer: Timer | undefined;
  #endWatch: (() => Promise<void>) | undefined;
  #checking: Promise<void> = Promise.resolve();
  #failures = 0;
  readonly #stop = new AbortController();

  constructor(options: ManagedCertificatesOptions) {
    this.#options = options;
  }

  async start(onChange: (served: ServedCertificate) => void): Promise<void> {
    this.#onChange = onChange;
    await this.#first();
    if (!this.#isClosed) this.#endWatch = this.#options.store.watch(() => this.#checkSoon());
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    await this.#endWatch?.();
    await this.#checking;
  }

  get #isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** At start, an error that will not pass by itself is thrown. */
  async #first(): Promise<void> {
    for (;;) {
      try {
        return await this.#check();
      } catch (error) {
        if (this.#isClosed || !mayPass(error)) throw error;
        this.#options.onError(error);
        await sleep(this.#options.clock, this.#retryDelay(), this.#stop.signal);
      }
    }
  }

  #checkSoon(): void {
    this.#checking = this.#checking.then(() =>
      this.#check().catch((error: unknown) => {
        this.#options.onError(error);
        this.#arm(this.#retryDelay());
      }),
    );
  }

  /** Takes one step after the other until there is nothing left to do now. */
  async #check(): Promise<void> {
    const { store, policy, clock, isTrusted, onStep } = this.#options;
    while (!this.#isClosed) {
      const stored = await store.read();
      // A store that was emptied gets back what is being served, so that nobody notices.
      if (!stored && this.#known) {
        await store.write(this.#known);
        continue;
      }
      const now = clock.now();
      const step = nextStep(stored, policy, now, isTrusted());
      if (step.do === "wait") {
        this.#failures = 0;
        if (stored) this.#adopt(stored);
        return this.#arm(step.until - now);
      }
      if (await store.write(taken(step, stored, policy, now)))
        onStep(step.do, step.do === "replace" ? step.why : undefined);
    }
  }

  #adopt(set: CertificateSet): void {
    const { current, caBundle } = set;
    const known = this.#known;
    this.#known = set;
    const isSame =
      known?.current.certificate === current.certificate &&
      known.current.key === current.key &&
      known.caBundle === caBundle;
    if (!isSame) this.#onChange({ ...current, caBundle });
  }

  #retryDelay(): number {
    return Math.min(lastRetry, firstRetry * 2 ** this.#failures++);
  }

  #arm(delay: number): void {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.setTimer(Math.min(Math.max(delay, 1_000), longestWait), () =>
      this.#checkSoon(),
    );
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof TimeoutError || isTransient(error);
}

/** A store in memory, for one process. */
export function memoryStore(): CertificateStore {
  let kept: CertificateSet | undefined;
  return {
    read: async () => kept,
    async write(set) {
      kept = set;
      return true;
    },
    watch: () => async () => undefined,
  };
}
