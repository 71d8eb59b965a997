// Audit events for someone outside, as kube-apiserver sends them: several at a time while requests go on, or one by one while they wait.
import { type Clock, systemClock } from "@kubewright/api";
import { AuditBatches, type AuditBatchLimits, usualBatchLimits } from "./audit-batches.js";
import type { AuditEvent } from "./audit-event.js";
import { AuditSender, type PostAuditEvents } from "./audit-sender.js";
import { type AuditTruncation, listsOf, truncateEvent, usualTruncation } from "./truncate-event.js";

/** Whether requests wait until their events were taken, and are refused where they were not. */
export type AuditWebhookMode = "batch" | "blocking" | "blocking-strict";

/** Options of an audit webhook. */
export interface AuditWebhookOptions {
  readonly post: PostAuditEvents;
  /** `batch` by default. */
  readonly mode?: AuditWebhookMode | undefined;
  /** Settings of mode `batch`. Default: kube-apiserver's. */
  readonly batch?: Partial<AuditBatchLimits> | undefined;
  /** Milliseconds before a failed list is sent again for the first time. Default: 10 s. */
  readonly initialBackoff?: number | undefined;
  /** Makes events shorter that are too large, and drops those that still are. Default: none. */
  readonly truncate?: Partial<AuditTruncation> | undefined;
  /** Hears why events were lost. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** Uniform in [0, 1). */
  readonly random?: (() => number) | undefined;
}

/** Counts lost events by the audit plugin that lost them. */
export type CountLost = (plugin: "buffered" | "truncate" | "webhook", events: number) => void;

/** Sends audit events to a server, in batches or one by one. */
export class AuditWebhook {
  readonly #mode: AuditWebhookMode;
  readonly #truncate: AuditTruncation | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #sender: AuditSender;
  readonly #batches: AuditBatches;
  #count: CountLost = () => undefined;

  constructor(options: AuditWebhookOptions) {
    const { post, truncate, clock = systemClock, random = Math.random } = options;
    this.#mode = options.mode ?? "batch";
    this.#truncate = truncate && { ...usualTruncation, ...truncate };
    this.#onError = options.onError ?? (() => undefined);
    this.#sender = new AuditSender({ post, clock, random, initialBackoff: options.initialBackoff ?? 10_000 });
    this.#batches = new AuditBatches({ ...usualBatchLimits, ...options.batch }, clock, async (events) => {
      await this.#send(events);
    });
  }

  /** Where losses are counted from now on. */
  countWith(count: CountLost): void {
    this.#count = count;
  }

  /** Takes an event. Where the request has to wait for it, a promise of whether it may go on. */
  record(event: AuditEvent): Promise<boolean> | undefined {
    if (this.#mode === "batch") {
      if (!this.#batches.add(event)) this.#lost("buffered", 1, new Error("audit buffer queue blocked"));
      return undefined;
    }
    const sent = this.#send([event]);
    return this.#mode === "blocking" ? sent.then(() => true) : sent;
  }

  /** Sends what is left, without waiting long for one who does not take it. */
  async close(): Promise<void> {
    this.#sender.hurry();
    await this.#batches.close();
  }

  /** Whether all were taken that were not too large. */
  async #send(events: readonly AuditEvent[]): Promise<boolean> {
    let isTaken = true;
    for (const list of this.#lists(events)) {
      try {
        await this.#sender.send(list);
      } catch (error) {
        isTaken = false;
        this.#lost("webhook", list.length, error);
      }
    }
    return isTaken;
  }

  #lists(events: readonly AuditEvent[]): Iterable<readonly AuditEvent[]> {
    const truncation = this.#truncate;
    if (!truncation) return [events];
    const short = events.flatMap((event) => {
      const left = truncateEvent(event, truncation.maxEventSize);
      if (!left) this.#lost("truncate", 1, new Error("event is too large even after truncating"));
      return left ?? [];
    });
    return listsOf(short, truncation.maxBatchSize);
  }

  #lost(plugin: Parameters<CountLost>[0], events: number, error: unknown): void {
    this.#count(plugin, events);
    this.#onError(error);
  }
}
