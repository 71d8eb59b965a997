// The life of one reconcile: how it is named, what it may send, how it waits, and how it ends.
import { type Clock, type KubeObject, sleep } from "@kubewright/api";
import type { CallOptions } from "@kubewright/client";
import type { Fence } from "../leadership/fence.js";
import type { Logger } from "../logging/logger.js";
import type { WorkItem } from "../queue/work-queue.js";
import type { AnyResource } from "./kinds.js";
import type { ReconcileRecord } from "./reconcile-observer.js";
import type { RequestSlots } from "./request-slots.js";
import { type ReadName, RunNotes } from "./run-notes.js";
import type { Endable } from "./watchdog.js";

/** The dependencies of one run of a reconcile. */
export interface RunEnvironment {
  readonly controller: string;
  readonly resource: AnyResource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fence: Fence;
  readonly newId: () => string;
  readonly slots: RequestSlots;
  /** Whether anybody wants to know of reads that caches answer. Without it they cost nothing more. */
  readonly reads: { readonly areWatched: boolean };
}

/** Sends a request within the bounds it is given. */
export type Send<T> = (bounds: CallOptions) => Promise<T>;

const none: readonly never[] = [];

/** The timeout of the last status write of a run that was ended. */
const finalWriteTimeout = 60_000;

export class Run implements Endable {
  readonly key: string;
  readonly reasons: readonly string[];
  /** On the monotonic clock. */
  readonly began: number;
  readonly #environment: RunEnvironment;
  #object: KubeObject;
  /** Why it is over, once it is. */
  #end: Error | undefined;
  #onEnd: ((reason: Error) => void) | undefined;
  #abort: AbortController | undefined;
  #id: string | undefined;
  #log: Logger | undefined;
  #notes: RunNotes | undefined;
  /** Releases the mark that holds virtual time. */
  #release: () => void;

  constructor(environment: RunEnvironment, object: KubeObject, { key, reasons }: WorkItem) {
    this.key = key;
    this.reasons = reasons;
    this.began = environment.clock.monotonic();
    this.#environment = environment;
    this.#object = object;
    this.#release = this.#hold();
  }

  /** The object being reconciled, as it is now. */
  get object(): KubeObject {
    return this.#object;
  }

  /** The runtime itself has written the object. */
  renew(object: KubeObject): void {
    this.#object = object;
  }

  /** `ModelBox shop/web`. */
  get what(): string {
    return `${this.#environment.resource.kind} ${this.key}`;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Made when first asked for: most reconciles need none, and it costs more than many of them. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#end) this.#abort.abort(this.#end);
    }
    return this.#abort.signal;
  }

  /** The changes it made so far. */
  get notes(): RunNotes {
    this.#notes ??= new RunNotes(() => this.#environment.clock.monotonic() - this.began);
    return this.#notes;
  }

  /** The same for its record, without making any notes. */
  get writes(): ReconcileRecord["writes"] {
    return this.#notes?.writes ?? none;
  }

  get reads(): ReconcileRecord["reads"] {
    return this.#notes?.reads ?? none;
  }

  get events(): ReconcileRecord["events"] {
    return this.#notes?.events ?? none;
  }

  /** Undefined when nothing has asked for one. */
  get knownID(): string | undefined {
    return this.#id;
  }

  get reconcileID(): string {
    this.#id ??= this.#environment.newId();
    return this.#id;
  }

  get log(): Logger {
    const { name, namespace } = this.#object.metadata ?? {};
    this.#log ??= this.#environment.log.with({ namespace, name, reconcileID: this.reconcileID });
    return this.#log;
  }

  /** Settles as the work does, or rejects when the run is ended first. */
  orEnd<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#onEnd = reject;
      work.then(resolve, reject);
    });
  }

  /** Ends the run: from now on its context refuses to do anything. */
  end(reason: Error): void {
    if (this.#end) return;
    this.#end = reason;
    this.#abort?.abort(reason);
    this.#onEnd?.(reason);
    this.#release();
  }

  /** Throws when the run is over, or this replica may no longer work. */
  check(): void {
    if (this.#end) throw this.#end;
    this.#environment.fence.check();
  }

  /** Sends a write. It ends with the run; rejects when the run may write nothing any more. */
  write<T>(send: Send<T>): Promise<T> {
    return this.#environment.slots.use(this, () => {
      this.check();
      return send({ ...this.#environment.fence.bounds(), signal: this.signal });
    });
  }

  /** Sends a read, which ends with the run. */
  read<T>(send: Send<T>): Promise<T> {
    return this.#environment.slots.use(this, () => {
      this.check();
      return send({ signal: this.signal, beforeSend: () => this.check() });
    });
  }

  /** Reads one object from the server, for its record too. */
  readObject<T extends KubeObject>(resource: AnyResource, target: string, send: Send<T>): Promise<T> {
    return this.notes.read({ verb: "get", resource, target }, this.read(send), (object) => [object]);
  }

  /** Notes a read that a cache has answered, if anybody wants to know. */
  noteCached(name: ReadName, found: readonly KubeObject[]): void {
    if (this.#environment.reads.areWatched) this.notes.readFromCache(name, found);
  }

  /** Sends the last write of the run, which is allowed a minute once the run was ended. */
  writeLast<T>(send: Send<T>): Promise<T> {
    if (!this.#end) return this.write(send);
    const { slots, fence } = this.#environment;
    return slots.use(this, () => send({ timeout: finalWriteTimeout, ...fence.bounds() }));
  }

  async sleep(milliseconds: number): Promise<void> {
    const waiting = sleep(this.#environment.clock, milliseconds, this.signal);
    // Virtual time may go on meanwhile.
    this.#release();
    try {
      await waiting;
    } finally {
      if (!this.#end) this.#release = this.#hold();
    }
  }

  #hold(): () => void {
    const { clock, controller } = this.#environment;
    return clock.busy(`reconcile ${controller} ${this.key}`);
  }
}
