// Entries in order of arrival. Joining, leaving from the middle and taking the first all cost the same, however many wait.
import type { WorkEntry } from "./work-entry.js";

/** A place where keys wait for a worker. */
export interface WaitingPlace {
  readonly size: number;
  /** The entry that is taken next. */
  readonly first: WorkEntry | undefined;
  push(entry: WorkEntry): void;
  remove(entry: WorkEntry): void;
}

/** First come, first served. */
export class Lane implements WaitingPlace {
  first: WorkEntry | undefined;
  #last: WorkEntry | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(entry: WorkEntry): void {
    entry.lane = this;
    entry.previous = this.#last;
    if (this.#last) this.#last.next = entry;
    else this.first = entry;
    this.#last = entry;
    this.#size += 1;
  }

  remove(entry: WorkEntry): void {
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.lane = entry.previous = entry.next = undefined;
    this.#size -= 1;
  }
}

/** One lane per group, served round-robin: a group with a million keys delays the others by one key at a time. */
export class FairLanes implements WaitingPlace {
  /** Groups that have keys. */
  readonly #lanes = new Map<string, RingLane>();
  /** The lane that is served next, in a ring of all lanes. */
  #current: RingLane | undefined;
  readonly #groupOf: (key: string) => string;
  #size = 0;

  constructor(groupOf: (key: string) => string) {
    this.#groupOf = groupOf;
  }

  get size(): number {
    return this.#size;
  }

  get first(): WorkEntry | undefined {
    return this.#current?.first;
  }

  push(entry: WorkEntry): void {
    const group = this.#groupOf(entry.key);
    (this.#lanes.get(group) ?? this.#join(group)).push(entry);
    this.#size += 1;
  }

  remove(entry: WorkEntry): void {
    const { lane } = entry;
    if (!(lane instanceof RingLane)) return;
    lane.remove(entry);
    this.#size -= 1;
    if (this.#current === lane) this.#current = lane.after;
    if (lane.size === 0) this.#leave(lane);
  }

  /** A new group is served after all others. */
  #join(group: string): RingLane {
    const lane = new RingLane(group);
    this.#lanes.set(group, lane);
    if (this.#current) lane.stand(this.#current.before, this.#current);
    else this.#current = lane;
    return lane;
  }

  #leave(lane: RingLane): void {
    this.#lanes.delete(lane.group);
    lane.before.stand(lane.before.before, lane.after);
    if (this.#current === lane) this.#current = undefined;
  }
}

/** A lane in a ring. */
class RingLane extends Lane {
  readonly group: string;
  before: RingLane = this;
  after: RingLane = this;

  constructor(group: string) {
    super();
    this.group = group;
  }

  /** Takes its place between two others. */
  stand(before: RingLane, after: RingLane): void {
    this.before = before;
    this.after = after;
    before.after = this;
    after.before = this;
  }
}
