// Events are news: each goes an hour after it was last written, as with kube-apiserver's `--event-ttl`. Without it a cluster that
// runs long would hold little else.

import type { Clock, Timer } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { Storage } from "./storage.js";

/** Both API groups of events keep them here. */
const table = "events";
/** Events are looked for that often at most, in milliseconds: what is due together goes together. */
const interval = 10_000;
/** Events deleted at one time; then the event loop is yielded to. */
const batch = 500;

export const defaultEventTtl = 60 * 60 * 1000;

interface Entry {
  readonly key: string;
  /** Written again, an event has another version, and another entry. */
  readonly version: string;
  /** By the monotonic clock. */
  readonly due: number;
}

export interface EventExpiryOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly ttl: number;
}

export class EventExpiry {
  readonly #options: EventExpiryOptions;
  readonly #unsubscribe: () => void;
  /** By due time: whatever is written last goes last. */
  #entries: Entry[];
  #first = 0;
  #timer: Timer | undefined;

  constructor(options: EventExpiryOptions) {
    this.#options = options;
    const { storage, ttl } = options;
    this.#entries = this.#existing();
    this.#unsubscribe = storage.subscribe(table, storage.revision, ({ type, key, object, time }) => {
      if (type === "delete") return;
      this.#entries.push({ key, version: object.metadata.resourceVersion, due: time + ttl });
      this.#arm();
    });
    this.#arm();
  }

  close(): void {
    this.#unsubscribe();
    this.#timer?.cancel();
  }

  /** The events that the store started with. Their time to live went on while it was closed. */
  #existing(): Entry[] {
    const { storage, clock, ttl } = this.#options;
    const toMonotonic = clock.monotonic() - clock.now();
    const keyOf = ({ metadata }: StoredObject): string => `${metadata.namespace}/${metadata.name}`;
    return [...storage.list(table, { prefix: "" })]
      .map((object) => ({
        key: keyOf(object),
        version: object.metadata.resourceVersion,
        due: (lastWritten(object) ?? clock.now()) + ttl + toMonotonic,
      }))
      .sort((a, b) => a.due - b.due);
  }

  #arm(): void {
    const next = this.#entries[this.#first];
    if (this.#timer || !next) return;
    const { clock } = this.#options;
    const delay = Math.max(interval, next.due - clock.monotonic());
    this.#timer = clock.setTimer(delay, () => this.#expire());
  }

  #expire(): void {
    const { storage, clock } = this.#options;
    this.#timer = undefined;
    const now = clock.monotonic();
    for (let left = batch; left > 0; this.#first++) {
      const entry = this.#entries[this.#first];
      if (!entry || entry.due > now) break;
      if (storage.get(table, entry.key)?.metadata.resourceVersion !== entry.version) continue;
      if (!this.#remove(entry)) return;
      left -= 1;
    }
    if (this.#first > 1024) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    this.#arm();
  }

  /** A store that takes no more writes is left alone: requests that write to it report why. */
  #remove({ key, version }: Entry): boolean {
    try {
      this.#options.storage.delete(table, key, { revision: version });
      return true;
    } catch {
      return false;
    }
  }
}

/** The newest time in the object. */
function lastWritten({ metadata }: StoredObject): number | undefined {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)]
    .map((time) => Date.parse(time ?? ""))
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? Math.max(...times) : undefined;
}
