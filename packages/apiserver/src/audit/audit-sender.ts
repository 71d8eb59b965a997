// Sends lists of audit events to a webhook, with retries and backoff.
import { setMaxListeners } from "node:events";
import { type Clock, sleep, stringifyJson } from "@kubewright/api";
import { TimeSlice } from "../time-slice.js";
import type { AuditEvent } from "./audit-event.js";

/** Sends a list of events (`audit.k8s.io/v1` EventList, as JSON); rejects unless it was taken. */
export type PostAuditEvents = (list: Uint8Array) => Promise<void>;

export interface AuditSenderOptions {
  readonly post: PostAuditEvents;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds before the second attempt; each later one waits half as long again. */
  readonly initialBackoff: number;
}

/** As often as kube-apiserver tries. */
const attempts = 5;
const growth = 1.5;
const jitter = 0.2;

export class AuditSender {
  readonly #options: AuditSenderOptions;
  readonly #closing = new AbortController();

  constructor(options: AuditSenderOptions) {
    this.#options = options;
    // Each list that waits to be sent again listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Resolves when they were taken; rejects with the last failure. */
  async send(events: readonly AuditEvent[]): Promise<void> {
    const { clock, post } = this.#options;
    const list = await this.#work(() => encoded(events));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#work(() => post(list));
      } catch (error) {
        if (attempt === attempts) throw error;
      }
      await sleep(clock, this.#delay(attempt), this.#closing.signal).catch(() => undefined);
    }
  }

  /** Retries without backoff from now on. */
  hurry(): void {
    this.#closing.abort();
  }

  #delay(attempt: number): number {
    const { initialBackoff, random } = this.#options;
    return initialBackoff * growth ** (attempt - 1) * (1 + jitter * random());
  }

  /** Sockets are out of sight of virtual time, which must not overtake them. */
  #work<T>(work: () => Promise<T>): Promise<T> {
    const idle = this.#options.clock.busy("audit webhook");
    return work().finally(idle);
  }
}

/** Events may hold whole objects, and there may be hundreds of them. */
async function encoded(events: readonly AuditEvent[]): Promise<Uint8Array> {
  const pieces = [Buffer.from('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[')];
  const slice = new TimeSlice();
  for (const [index, event] of events.entries()) {
    pieces.push(Buffer.from(`${index === 0 ? "" : ","}${stringifyJson(event)}`));
    await slice.yieldIfOver();
  }
  pieces.push(Buffer.from("]}\n"));
  return Buffer.concat(pieces);
}
