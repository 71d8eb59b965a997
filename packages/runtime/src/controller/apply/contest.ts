// Two managers that each insist on their own value for a field would write for ever. A child we had to apply again and
// again, although our own wish for it did not change, is contested: it is named, and applied at growing intervals only.
import type { Clock } from "@kubewright/api";
import { Backoff } from "../../queue/backoff.js";

/** A child whose fields somebody else keeps changing. */
export interface Contest {
  /** `Deployment shop/web`. */
  readonly child: string;
  /** The first field in question: `.spec.replicas`. */
  readonly path: string;
  /** Who else sets it, as far as the object tells. */
  readonly managers: readonly string[];
  /** When we insist again, on the monotonic clock. */
  readonly until: number;
}

interface History {
  /** A hash of what we last wished: telling wishes apart need not be exact here. */
  wish: number;
  /** Times in a row that our wish had been changed by others. */
  count: number;
  last: number;
  contest: Contest | undefined;
}

/** So many changes by others in a row are a coincidence. */
const tolerance = 3;
/** Changes further apart than this have nothing to do with each other. */
const memory = 10 * 60_000;
const limit = 10_000;

export class Contests {
  readonly #byUid = new Map<string, History>();
  readonly #clock: Clock;
  readonly #backoff: Backoff;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#backoff = new Backoff({ base: 1_000, max: memory }, random);
  }

  /** The contest that keeps a child from being applied now, if any. A new wish is always tried. */
  holding(uid: string, wish: string): Contest | undefined {
    const history = this.#byUid.get(uid);
    if (!history?.contest || history.wish !== hash(wish)) return undefined;
    return this.#clock.monotonic() < history.contest.until ? history.contest : undefined;
  }

  /** Our wish is about to be applied once more. Returns how often others had changed it, beyond coincidence. */
  insist(uid: string, wish: string): number {
    const now = this.#clock.monotonic();
    const history = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    const hashed = hash(wish);
    const isAgain = history?.wish === hashed && now - history.last < memory;
    const count = isAgain ? history.count + 1 : 0;
    this.#byUid.set(uid, { wish: hashed, count, last: now, contest: undefined });
    this.#trim();
    return Math.max(0, count - tolerance + 1);
  }

  /** It is a contest: until its pause is over our wish is not applied. */
  declare(uid: string, times: number, about: Omit<Contest, "until">): Contest {
    const contest = { ...about, until: this.#clock.monotonic() + this.#backoff.delay(times) };
    const history = this.#byUid.get(uid);
    if (history) history.contest = contest;
    return contest;
  }

  #trim(): void {
    for (const oldest of this.#byUid.keys()) {
      if (this.#byUid.size <= limit) return;
      this.#byUid.delete(oldest);
    }
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
