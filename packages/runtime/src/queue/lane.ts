// Entries in order of arrival. Joining, leaving from the middle and taking the first all cost the same, however many wait.
import type { WorkEntry } from "./work-entry.js";

/** A place where keys wait for a worker. */
export interface WaitingPlace {
  readonly size: number;
  /** Who is next. */
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

/** One lane per group, served in turn: a group with a million keys delays the others by one key at a time. */
export class FairLanes implements WaitingPlace {
  /** Groups that have keys. */
  readonly #lanes = new Map<string, TurnLane>();
  /** Whose turn it is, in a ring of all lanes. */
  #turn: TurnLane | undefined;
  readonly #groupOf: (key: string) => string;
  #size = 0;

  constructor(groupOf: (key: string) => string) {
    this.#groupOf = groupOf;
  }

  get size(): number {
    return this.#size;
  }

  get first(): WorkEntry | undefined {
    return this.#turn?.first;
  }

  push(entry: WorkEntry): void {
    const group = this.#groupOf(entry.key);
    (this.#lanes.get(group) ?? this.#join(group)).push(entry);
    this.#size += 1;
  }

  remove(entry: WorkEntry): void {
    const { lane } = entry;
    if (!(lane instanceof TurnLane)) return;
    lane.remove(entry);
    this.#size -= 1;
    if (this.#turn === lane) this.#turn = lane.after;
    if (lane.size === 0) this.#leave(lane);
  }

  /** A new group is served after all others. */
  #join(group: string): TurnLane {
    const lane = new TurnLane(group);
    this.#lanes.set(group, lane);
    if (this.#turn) lane.stand(this.#turn.before, this.#turn);
    else this.#turn = lane;
    return lane;
  }

  #leave(lane: TurnLane): void {
    this.#lanes.delete(lane.group);
    lane.before.stand(lane.before.before, lane.after);
    if (this.#turn === lane) this.#turn = undefined;
  }
}

/** A lane in a ring. */
class TurnLane extends Lane {
  readonly group: string;
  before: TurnLane = this;
  after: TurnLane = this;

  constructor(group: string) {
    super();
    this.group = group;
  }

  /** Takes its place between two others. */
  stand(before: TurnLane, after: TurnLane): void {
    this.before = before;
    this.after = after;
    before.after = this;
    after.before = this;
  }
}
