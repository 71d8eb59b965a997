// Read your own writes: when the server has answered a write, the cache shows its result at once, and whatever arrives
// afterwards is older until the watch has caught up. A guard on the key holds it back until then.
//
// Flow
// - A write's answer goes into the cache and leaves a guard with its version; a deletion leaves one with the uid.
// - An event or a list at or beyond the write takes the guard away; an older one is ignored for that key.
// - A bookmark beyond the write takes it away too: had there been an event, it would have come before.
//
// Guarantees
// - After a write was answered, the cache never shows anything older than it, with no waiting and no extra request.
//
// Not guaranteed
// - A write whose answer was lost, and writes of other processes, show when their events arrive.
// - Servers whose resource versions are not numbers in order: there, writes show when their events arrive.
import { compareResourceVersions } from "@kubewright/api";

/** The identity of one state of an object. */
export interface ObjectVersion {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

interface Guard extends ObjectVersion {
  readonly isGone: boolean;
  /** Lists begun before the write was answered. */
  readonly lists: number;
  /** Bookmarks seen since. */
  bookmarks: number;
}

/** A list of the kind. */
export interface ListVersion {
  readonly version: string;
  /** From `beginList`. */
  readonly number: number;
}

export class WriteOverlay {
  readonly #guards = new Map<string, Guard>();
  #lists = 0;

  /** Keys held back at the moment. */
  get size(): number {
    return this.#guards.size;
  }

  /** The key has this version, by a write that was answered. */
  wrote(key: string, { uid, resourceVersion }: ObjectVersion): void {
    this.#guards.set(key, { uid, resourceVersion, isGone: false, lists: this.#lists, bookmarks: 0 });
  }

  /** The object, last seen at this version, was deleted, by a request that was answered. */
  deleted(key: string, { uid, resourceVersion }: ObjectVersion): void {
    this.#guards.set(key, { uid, resourceVersion, isGone: true, lists: this.#lists, bookmarks: 0 });
  }

  /** True when an event is older than our own write. */
  isOlder(key: string, event: ObjectVersion, isDeletion: boolean): boolean {
    const guard = this.#guards.get(key);
    if (!guard) return false;
    if (guard.isGone && guard.uid === event.uid) {
      if (isDeletion) this.#guards.delete(key);
      return true;
    }
    if (isBefore(event, guard)) return true;
    this.#guards.delete(key);
    return false;
  }

  /** True when an answer that comes now is about something older than one that came before. */
  isOutdone(key: string, answer: ObjectVersion): boolean {
    const guard = this.#guards.get(key);
    return guard !== undefined && ((guard.isGone && guard.uid === answer.uid) || isBefore(answer, guard));
  }

  /** Call before a list is asked for; returns its number. */
  beginList(): number {
    return ++this.#lists;
  }

  /** True when a list, in which the key has `item` or nothing, was taken before our own write. */
  isOlderInList(key: string, item: ObjectVersion | undefined, list: ListVersion): boolean {
    const guard = this.#guards.get(key);
    if (!guard || guard.lists < list.number) return false;
    if (!guard.isGone) return isBefore({ resourceVersion: list.version }, guard);
    return item !== undefined && (item.uid === guard.uid || isBefore(item, guard));
  }

  /** A list is in the cache: what it has seen needs no guard. */
  listed({ version, number }: ListVersion): void {
    for (const [key, guard] of this.#guards) {
      const isSeen = !guard.isGone && !isBefore({ resourceVersion: version }, guard);
      if (isSeen || guard.lists < number) this.#guards.delete(key);
    }
  }

  /** The watch has delivered everything up to this version. Returns the keys whose write it did not confirm. */
  reached(version: string): string[] {
    const unconfirmed: string[] = [];
    for (const [key, guard] of this.#guards) {
      guard.bookmarks++;
      // The version of a deletion is not known, but the second bookmark was made after it.
      if (guard.isGone ? guard.bookmarks < 2 : isBefore({ resourceVersion: version }, guard)) continue;
      this.#guards.delete(key);
      if (!guard.isGone) unconfirmed.push(key);
    }
    return unconfirmed;
  }
}

/** True when `one` is known to be older. */
export function isBefore(
  { resourceVersion: one }: ObjectVersion,
  { resourceVersion: other }: ObjectVersion,
): boolean {
  if (one === undefined || other === undefined) return false;
  return compareResourceVersions(one, other) === -1;
}
