// The life of one reconcile: how it is named, how it waits, and how it ends when its time is up.
import { type Clock, type KubeObject, sleep } from "@kubewright/api";
import type { CallOptions } from "@kubewright/client";
import type { Fence } from "../manager/fence.js";
import type { Logger } from "../manager/logger.js";
import type { WorkItem } from "../queue/work-queue.js";
import type { AnyResource } from "./kinds.js";
import type { ReconcileRecord } from "./reconcile-observer.js";
import { RunNotes } from "./run-notes.js";
import type { Turns } from "./turns.js";
import type { Endable } from "./watchdog.js";

/** What the life of a reconcile depends on. */
export interface RunEnvironment {
  readonly controller: string;
  readonly resource: AnyResource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fence: Fence;
  readonly newId: () => string;
  /** At the server; everybody may go at once without. */
  readonly turns: Turns | undefined;
}

const none: readonly never[] = [];

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
  /** Settles when it has its turn; undefined before it asks for one. */
  #turn: Promise<void> | undefined;
  #hasTurn = false;
  #abort: AbortController | undefined;
  #id: string | undefined;
  #log: Logger | undefined;
  #notes: RunNotes | undefined;
  /** Gives the mark back that holds virtual time. */
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

  /** The runtime itself has written it. */
  renew(object: KubeObject): void {
    this.#object = object;
  }

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

  /** What it did so far. */
  get notes(): RunNotes {
    this.#notes ??= new RunNotes();
    return this.#notes;
  }

  /** The same for its record, without making any notes. */
  get writes(): ReconcileRecord["writes"] {
    return this.#notes?.writes ?? none;
  }

  get events(): ReconcileRecord["events"] {
    return this.#notes?.events ?? none;
  }

  /** Undefined when nobody has asked for one. */
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
    if (this.#hasTurn) this.#environment.turns?.pass();
    this.#release();
  }

  /** Throws when the run is over. */
  check(): void {
    if (this.#end) throw this.#end;
  }

  /** The bounds of a request, which ends with the run; throws when the run may write nothing any more. */
  bounds(): CallOptions {
    this.check();
    return { ...this.#environment.fence.bounds(), signal: this.signal };
  }

  /** Resolves when it is this run's turn at the server, which it then keeps to its end. */
  turn(): Promise<void> {
    this.#turn ??= this.#takeTurn();
    return this.#turn;
  }

  async sleep(milliseconds: number): Promise<void> {
    const waiting = sleep(this.#environment.clock, milliseconds, this.signal);
    this.#release();
    try {
      await waiting;
    } finally {
      this.#goOn();
    }
  }

  /** Thousands may wait here, so it is not made of functions that wait for each other. */
  #takeTurn(): Promise<void> {
    const { turns } = this.#environment;
    if (this.#end) return Promise.reject(this.#end);
    if (!turns) return Promise.resolve();
    const waiting = turns.take();
    this.#release();
    return waiting.then(() => {
      this.#goOn();
      if (this.#end) turns.pass();
      this.check();
      this.#hasTurn = true;
    });
  }

  /** After a wait, during which virtual time could go on. */
  #goOn(): void {
    if (!this.#end) this.#release = this.#hold();
  }

  #hold(): () => void {
    const { clock, controller } = this.#environment;
    return clock.busy(`reconcile ${controller} ${this.key}`);
  }
}
