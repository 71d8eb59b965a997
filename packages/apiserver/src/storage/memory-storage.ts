// The store of an embedded API server: everything in this process's memory.

import { type Clock, systemClock } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import { CompactionSchedule, defaultCompactionInterval } from "./compaction.js";
import { freezeSized, maxObjectBytes } from "./freeze-sized.js";
import { History, type HistoryLimits } from "./history.js";
import type { Journal } from "./journal.js";
import { SortedKeys } from "./sorted-keys.js";
import {
  type Change,
  CompactedError,
  type Expectation,
  type ListQuery,
  ObjectTooLarge,
  RevisionConflict,
  type Storage,
  type Unstamped,
} from "./storage.js";

/** Options of storage in memory. */
export interface MemoryStorageOptions {
  /** The limits of the history of each resource. */
  readonly history?: Partial<HistoryLimits> | undefined;
  /** By which history ages. */
  readonly clock?: Clock | undefined;
  /** Milliseconds after which states of the past can no longer be listed, or twice as many. Default: five minutes; zero: never. */
  readonly compactionInterval?: number | undefined;
  /** The revision before the first write. */
  readonly revision?: number | undefined;
  /** The initial contents, from another store: objects keep their versions. Its history is not included. */
  readonly contents?: StorageContents | undefined;
  /** Where changes are written down. Default: nowhere. */
  readonly journal?: Journal | undefined;
}

/** One object and where it is. */
export interface StorageRow {
  readonly resource: string;
  readonly key: string;
  readonly object: StoredObject;
}

/** All that a store holds at one moment. */
export interface StorageContents {
  readonly revision: number;
  readonly rows: Iterable<StorageRow>;
}

interface Table {
  readonly objects: Map<string, StoredObject>;
  readonly keys: SortedKeys;
  readonly history: History;
  readonly subscribers: Set<(change: Change) => void>;
  /** Subscribers that are notified once a change would survive the process. */
  readonly flushedSubscribers: Set<(change: Change) => void>;
  /** How many writes there were. */
  changes: number;
}

const mebibyte = 1024 * 1024;

/** Kubernetes forgets what is older than five to ten minutes. */
const defaultLimits: HistoryLimits = {
  changes: 10_000,
  bytes: 32 * mebibyte,
  memory: 96 * mebibyte,
  allMemory: 256 * mebibyte,
  age: 10 * 60_000,
};

/** Multi-version storage in memory: current objects by key, and the changes that led there. */
export class MemoryStorage implements Storage {
  #revision: number;
  readonly #limits: HistoryLimits;
  readonly #clock: Clock;
  readonly #journal: Journal | undefined;
  readonly #tables = new Map<string, Table>();
  readonly #compaction: CompactionSchedule;
  #hasBigIntegers = false;
  /** Bytes of memory of all histories. */
  #remembered = 0;

  constructor(options: MemoryStorageOptions = {}) {
    this.#revision = options.contents?.revision ?? options.revision ?? 1;
    this.#limits = { ...defaultLimits, ...options.history };
    this.#clock = options.clock ?? systemClock;
    const interval = options.compactionInterval ?? defaultCompactionInterval;
    this.#compaction = new CompactionSchedule(interval, this.#clock.monotonic());
    this.#journal = options.journal;
    options.journal?.onFlushed((resource, change) =>
      notify(this.#table(resource).flushedSubscribers, change),
    );
    for (const { resource, key, object } of options.contents?.rows ?? []) {
      if (freezeSized(object).hasBigIntegers) this.#hasBigIntegers = true;
      const table = this.#table(resource);
      if (!table.objects.has(key)) table.keys.add(key);
      table.objects.set(key, object);
    }
  }

  get revision(): number {
    return this.#revision;
  }

  get flushedRevision(): number {
    return this.#journal?.flushedRevision ?? this.#revision;
  }

  get hasBigIntegers(): boolean {
    return this.#hasBigIntegers;
  }

  get(resource: string, key: string): StoredObject | undefined {
    return this.#tables.get(resource)?.objects.get(key);
  }

  *list(resource: string, query: ListQuery): Iterable<StoredObject> {
    const table = this.#table(resource);
    const past = this.#statesAt(table, query.revision);
    for (const key of keysAt(table, past, query)) {
      const object = past.has(key) ? past.get(key) : table.objects.get(key);
      if (object) yield object;
    }
  }

  count(resource: string, query: ListQuery): number {
    const table = this.#table(resource);
    let count = table.keys.countRange(startOf(query), query.prefix);
    for (const [key, object] of this.#statesAt(table, query.revision))
      if (isInRange(key, query)) count += Number(object !== undefined) - Number(table.objects.has(key));
    return count;
  }

  put(resource: string, key: string, object: Unstamped, expected: Expectation): StoredObject {
    const table = this.#table(resource);
    const previous = table.objects.get(key);
    check(previous, expected, resource, key);
    this.#journal?.check();
    const time = this.#clock.monotonic();
    this.#compaction.compactedAt(time, this.#revision);
    const revision = this.#revision + 1;
    const stored = stamp(object, revision);
    const { json: size, memory, hasBigIntegers } = freezeSized(stored, maxObjectBytes);
    if (size > maxObjectBytes) throw new ObjectTooLarge();
    if (hasBigIntegers) this.#hasBigIntegers = true;
    this.#revision = revision;
    table.objects.set(key, stored);
    if (!previous) table.keys.add(key);
    this.#publish(resource, table, {
      type: "put",
      revision,
      key,
      object: stored,
      previous,
      size,
      memory,
      time,
    });
    return stored;
  }

  delete(resource: string, key: string, expected: Expectation): StoredObject {
    const table = this.#table(resource);
    const previous = table.objects.get(key);
    check(previous, expected, resource, key);
    if (!previous) throw new RevisionConflict(`${resource} ${key} does not exist`);
    this.#journal?.check();
    const time = this.#clock.monotonic();
    this.#compaction.compactedAt(time, this.#revision);
    const revision = ++this.#revision;
    const last = stamp(previous, revision);
    const { json: size, memory } = freezeSized(last);
    table.objects.delete(key);
    table.keys.delete(key);
    this.#publish(resource, table, {
      type: "delete",
      revision,
      key,
      object: last,
      previous,
      size,
      memory,
      time,
    });
    return last;
  }

  subscribe(
    resource: string,
    revision: number,
    onChange: (change: Change) => void,
    when: "written" | "flushed" = "written",
  ): () => void {
    const table = this.#table(resource);
    for (const change of table.history.after(revision)) onChange(change);
    if (when === "written" || !this.#journal) {
      table.subscribers.add(onChange);
      return () => table.subscribers.delete(onChange);
    }
    const known = this.#revision;
    // Changes from history come again when they are flushed.
    const later = (change: Change): void => {
      if (change.revision > known) onChange(change);
    };
    table.flushedSubscribers.add(later);
    return () => table.flushedSubscribers.delete(later);
  }

  *counts(): Iterable<readonly [resource: string, objects: number, changes: number]> {
    for (const [resource, { objects, changes }] of this.#tables) yield [resource, objects.size, changes];
  }

  /** All there is now. Objects are frozen, so what is returned stays as it is. */
  contents(): StorageContents {
    const rows: StorageRow[] = [];
    for (const [resource, { objects }] of this.#tables)
      for (const [key, object] of objects) rows.push({ resource, key, object });
    return { revision: this.#revision, rows };
  }

  compact(revision: number): void {
    this.#remembered = 0;
    for (const { history } of this.#tables.values()) {
      history.compact(revision);
      this.#remembered += history.memory;
    }
  }

  flushed(): Promise<void> {
    return this.#journal?.flushed() ?? Promise.resolve();
  }

  /** What the keys changed since held at a revision of the past; none when it is not past. */
  #statesAt(table: Table, revision = this.#revision): ReadonlyMap<string, StoredObject | undefined> {
    if (revision >= this.#revision) return new Map();
    const compacted = this.#compaction.compactedAt(this.#clock.monotonic(), this.#revision);
    if (revision < compacted) throw new CompactedError(revision, compacted);
    return table.history.statesAt(revision);
  }

  #publish(resource: string, table: Table, change: Change): void {
    table.changes += 1;
    this.#remember(table.history, change);
    this.#journal?.append(resource, change);
    notify(table.subscribers, change);
  }

  #remember(history: History, change: Change): void {
    const before = history.memory;
    history.append(change);
    this.#remembered += history.memory - before;
    while (this.#remembered > this.#limits.allMemory && this.#forgetSome());
  }

  /** Forgets half of the longest history; false when there is nothing left to forget. */
  #forgetSome(): boolean {
    const histories = Array.from(this.#tables.values(), ({ history }) => history);
    const largest = histories.reduce((a, b) => (b.memory > a.memory ? b : a));
    const before = largest.memory;
    const isLess = largest.halve();
    this.#remembered += largest.memory - before;
    return isLess;
  }

  #table(resource: string): Table {
    let table = this.#tables.get(resource);
    if (!table) {
      const history = new History(this.#limits, this.#revision);
      table = {
        objects: new Map(),
        keys: new SortedKeys(),
        history,
        subscribers: new Set(),
        flushedSubscribers: new Set(),
        changes: 0,
      };
      this.#tables.set(resource, table);
    }
    return table;
  }
}

function check(
  previous: StoredObject | undefined,
  expected: Expectation,
  resource: string,
  key: string,
): void {
  if (expected === "any") return;
  if (expected === "absent" ? previous : previous?.metadata.resourceVersion !== expected.revision) {
    throw new RevisionConflict(`${resource} ${key} was changed by someone else`);
  }
}

function stamp(object: Unstamped, revision: number): StoredObject {
  const { name = "", uid = "" } = object.metadata;
  // Set after copying: fields that are there already are slow to define anew, and every write passes here.
  const metadata = Object.assign({ name, uid, resourceVersion: "" }, object.metadata);
  metadata.resourceVersion = String(revision);
  const stored = Object.assign({}, object, { metadata });
  return stored;
}

function notify(subscribers: Iterable<(change: Change) => void>, change: Change): void {
  for (const subscriber of subscribers) subscriber(change);
}

const startOf = ({ after, prefix }: ListQuery): string => (after === undefined ? prefix : `${after}\0`);

const isInRange = (key: string, query: ListQuery): boolean =>
  key >= startOf(query) && key.startsWith(query.prefix);

/** The keys there are now and those deleted since, in order; lazily, so that a page costs what it shows. */
function* keysAt({ objects, keys }: Table, past: ReadonlyMap<string, unknown>, query: ListQuery) {
  const deleted = [...past.keys()].filter((key) => !objects.has(key) && isInRange(key, query));
  deleted.sort().reverse();
  let next = deleted.pop();
  for (const key of keys.from(startOf(query))) {
    if (!key.startsWith(query.prefix)) break;
    for (; next !== undefined && next < key; next = deleted.pop()) yield next;
    yield key;
  }
  for (; next !== undefined; next = deleted.pop()) yield next;
}
