// Events for people, as `kubectl describe` shows them. What repeats becomes one event with a count: its second occurrence
// starts a series, and from then on the count is brought up to date once a minute. No caller waits for an event, and a failure
// to write one is only reported.
import {
  type Clock,
  EventsV1Event,
  formatMicroTime,
  isNamespaceTerminating,
  isNotFound,
  type KubeObject,
  type Timer,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { AnyResource } from "../kinds.js";
import type { EventInput } from "../reconcile-context.js";
import { RequestSlots } from "../request-slots.js";
import { EventLimit } from "./event-limit.js";
import { describeEvent, objectOf, sameEvent, serials } from "./event-object.js";

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The reporting controller and instance: the manager's name and the process. */
  readonly controller: string;
  readonly instance: string;
  readonly random: () => number;
  /** Asked before each write; a fence that is closed drops the event. */
  readonly mayWrite: () => boolean;
  readonly onError: (error: unknown) => void;
}

interface Series {
  readonly event: EventsV1Event;
  count: number;
  /** The count the server knows. */
  reported: number;
  lastSeen: number;
  isBusy: boolean;
}

/** A series that was quiet for this long is over: the next occurrence is a new event. */
const quiet = 6 * 60_000;
const refresh = 60_000;
const limit = 4_096;
/** Concurrent writes: no caller waits for events, and they must not delay requests that are waited for. */
const writesAtOnce = 8;
/** The maximum of events that wait to be written; when the server does not keep up, further ones are dropped. */
const maxPending = 20_000;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #pending = new Set<Promise<void>>();
  readonly #slots = new RequestSlots(writesAtOnce);
  /** Each reason has a limit of its own, so that what happens often does not hide what happens once. */
  readonly #limit: EventLimit;
  /** Counted on from anywhere, so that two processes do not name their events alike. */
  #serial: number;
  #timer: Timer | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#limit = new EventLimit(options.clock);
    this.#serial = Math.floor(options.random() * serials);
  }

  /** Records an event about an object. */
  record(resource: AnyResource, object: KubeObject, input: EventInput): void {
    if (this.#pending.size >= maxPending) return;
    const now = this.#options.clock.now();
    const identity = sameEvent(resource, object, input);
    const known = this.#series.get(identity);
    this.#series.delete(identity);
    if (known && now - known.lastSeen < quiet) {
      this.#series.set(identity, known);
      this.#repeat(known, now);
      return;
    }
    if (!this.#limit.allows(`${objectOf(resource, object)} ${input.type ?? "Normal"} ${input.reason}`))
      return;
    const { controller, instance } = this.#options;
    const serial = this.#serial++;
    const event = describeEvent(resource, object, input, { controller, instance, now, serial });
    const series: Series = { event, count: 1, reported: 0, lastSeen: now, isBusy: false };
    this.#series.set(identity, series);
    this.#trim(now);
    this.#start(this.#report(series));
  }

  /** Writes what was not written yet. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const series of this.#series.values()) this.#start(this.#report(series));
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #repeat(series: Series, now: number): void {
    series.count += 1;
    series.lastSeen = now;
    if (series.count === 2) this.#start(this.#report(series));
    else this.#arm();
  }

  #start(work: Promise<void>): void {
    const pending = work.catch((error) => this.#failed(error)).finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** An event about an object in a namespace that is being deleted is lost with it. */
  #failed(error: unknown): void {
    if (!isNamespaceTerminating(error)) this.#options.onError(error);
  }

  /** Brings the server's count up to date. One write at a time: a series cannot be patched before it was created. */
  async #report(series: Series): Promise<void> {
    if (series.isBusy || series.reported === series.count || !this.#options.mayWrite()) return;
    series.isBusy = true;
    try {
      await this.#slots.use(series, () => this.#write(series));
    } finally {
      series.isBusy = false;
    }
    if (series.reported === 1 && series.count > 1) await this.#report(series);
  }

  async #write(series: Series): Promise<void> {
    if (!this.#options.mayWrite()) return;
    const { count } = series;
    if (series.reported === 0) await this.#options.client.create(EventsV1Event, series.event);
    else await this.#patch(series, count);
    series.reported = series.reported === 0 ? 1 : count;
  }

  async #patch({ event, lastSeen }: Series, count: number): Promise<void> {
    const { name = "", namespace } = event.metadata ?? {};
    const merge = { series: { count, lastObservedTime: formatMicroTime(lastSeen) } };
    const { client } = this.#options;
    await client.patch(EventsV1Event, name, { merge }, { namespace }).catch(async (error: unknown) => {
      // The server forgets events after an hour.
      if (!isNotFound(error)) throw error;
      await client.create(EventsV1Event, { ...event, ...merge });
    });
  }

  #arm(): void {
    this.#timer ??= this.#options.clock.setTimer(refresh, () => {
      this.#timer = undefined;
      for (const series of this.#series.values()) this.#start(this.#report(series));
      this.#trim(this.#options.clock.now());
    });
  }

  /** Forgets series that are over; beyond the limit, those seen longest ago. They come first. */
  #trim(now: number): void {
    for (const [identity, { lastSeen }] of this.#series) {
      if (now - lastSeen < quiet && this.#series.size <= limit) return;
      this.#series.delete(identity);
    }
  }
}
