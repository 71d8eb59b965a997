// Two field managers that each keep setting their own value of a field would write for ever. A child that had to be applied
// again and again, although what is declared of it did not change, has a field conflict: it is reported, and applied with a
// growing backoff only.
import type { Clock } from "@kubewright/api";
import { Backoff } from "../../queue/backoff.js";
import { hashOf } from "./declared-memory.js";

/** A child whose fields somebody else keeps changing. */
export interface FieldConflict {
  /** `Deployment shop/web`. */
  readonly child: string;
  /** The first field in question: `.spec.replicas`. */
  readonly path: string;
  /** The other managers that set it, by its managed fields. */
  readonly managers: readonly string[];
  /** The time when it is applied again, on the monotonic clock. */
  readonly until: number;
}

interface History {
  /** A hash of what was last declared: telling declarations apart need not be exact here. */
  declared: number;
  /** Times in a row that others had changed what was declared. */
  count: number;
  last: number;
  conflict: FieldConflict | undefined;
}

/** So many changes by others in a row are a coincidence. */
const tolerance = 3;
/** Changes further apart than this have nothing to do with each other. */
const memory = 10 * 60_000;
const limit = 10_000;

export class FieldConflicts {
  readonly #byUid = new Map<string, History>();
  readonly #clock: Clock;
  readonly #backoff: Backoff;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#backoff = new Backoff({ base: 1_000, max: memory }, random);
  }

  /** The conflict that keeps a child from being applied now, if any. A changed declaration is always applied. */
  holding(uid: string, declared: string): FieldConflict | undefined {
    const history = this.#byUid.get(uid);
    if (!history?.conflict || history.declared !== hashOf(declared)) return undefined;
    return this.#clock.monotonic() < history.conflict.until ? history.conflict : undefined;
  }

  /** The child is about to be applied once more. Returns how often others had changed it, beyond coincidence. */
  count(uid: string, declared: string): number {
    const now = this.#clock.monotonic();
    const history = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    const hashed = hashOf(declared);
    const isAgain = history?.declared === hashed && now - history.last < memory;
    const count = isAgain ? history.count + 1 : 0;
    this.#byUid.set(uid, { declared: hashed, count, last: now, conflict: undefined });
    this.#trim();
    return Math.max(0, count - tolerance + 1);
  }

  /** The apply that was counted last failed: the child is as it was before, and no other manager has changed it. */
  retract(uid: string): void {
    const history = this.#byUid.get(uid);
    if (!history) return;
    history.conflict = undefined;
    history.count -= 1;
    if (history.count < 0) this.#byUid.delete(uid);
  }

  /** Records a conflict: until its backoff is over the child is not applied. */
  declare(uid: string, times: number, about: Omit<FieldConflict, "until">): FieldConflict {
    const conflict = { ...about, until: this.#clock.monotonic() + this.#backoff.delay(times) };
    const history = this.#byUid.get(uid);
    if (history) history.conflict = conflict;
    return conflict;
  }

  #trim(): void {
    for (const oldest of this.#byUid.keys()) {
      if (this.#byUid.size <= limit) return;
      this.#byUid.delete(oldest);
    }
  }
}
