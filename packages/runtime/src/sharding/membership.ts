// One membership of a replica in the set that shares the keys of controllers.
//
// Flow
// - It has a lease of its own, which it renews, and enters itself in the map.
// - It looks at the map and all leases now and then. A new generation takes effect at once for keys it loses (none is begun any
//   more) and, when those in flight are done, is acknowledged in its lease. Keys it gains wait for the acknowledgement of every
//   member that could still have them in flight.
// - Members whose lease was not renewed for its whole duration, as measured here, are taken out of the map. A member that
//   shuts down does that itself, when nothing is in flight any more.
// - A member that cannot renew its lease for `renewDeadline`, or is no longer in the map, is lost: it ends everything, and
//   starts a new life under a new name.
//
// Guarantees
// - No key is in flight in two members at once, and every key is eventually owned by one.
// - Clocks may differ and jump: only durations of each member's own clocks count. A wall clock that jumps ahead by more than the renew
//   deadline ends membership, as a machine does that slept.
// - After membership is lost the fence lets no reconcile begin and no request leave, and writes sent before must be answered while
//   the lease still holds. What was handed to the operating system before a process was stopped may still arrive.
//
// Assumptions
// - Clocks run at about the same rate (15 s against 10 s leave room for half as fast again), and all members have the same settings.
// - Leases and map are not deleted by hand at the same time. The map alone may be deleted: members then start over.
import { isConflict, isNotFound, Lease, sleep, type Timer } from "@kubewright/api";
import type { CallOptions } from "@kubewright/client";
import { type Fence, NotLeaderError } from "../leadership/fence.js";
import { type Moment, momentOf, timeLeft } from "../leadership/lease-time.js";
import { type Acknowledged, renewed } from "./member-lease.js";
import { emptyMap, withMember, withoutMembers } from "./shard-map.js";
import { type Look, ShardRegister } from "./shard-register.js";
import { ShardView } from "./shard-view.js";
import type { Durations, ShardingOptions } from "./sharder.js";
import { KeysInFlight, type ShardListener, type Shards } from "./shards.js";

/** The outcome of an update of the map: changed by us, changed by another member first, or unchanged. */
type Step = "changed" | "outrun" | "unchanged";

/** The membership of one replica in a shard group. */
export class Membership implements Fence, Shards {
  readonly id: string;
  readonly #options: ShardingOptions;
  readonly #durations: Durations;
  readonly #register: ShardRegister;
  readonly #inFlight = new KeysInFlight();
  readonly #listeners = new Set<ShardListener>();
  readonly #lost = new AbortController();
  readonly #running: Promise<void>;
  #deadline: Timer | undefined;
  #lease: Lease;
  /** When the last successful renewal was begun. */
  #renewedAt: Moment;
  #view: ShardView;
  /** The uid of the map we are in; undefined before. */
  #map: string | undefined;
  /** Our lease as stored on the server. */
  #acknowledged: Acknowledged | undefined;
  /** The time when keys we lost while in flight are ended. */
  #handoverEnds = Number.POSITIVE_INFINITY;

  constructor(options: ShardingOptions, durations: Durations, lease: Lease, began: Moment) {
    this.id = lease.metadata?.name ?? "";
    this.#options = options;
    this.#durations = durations;
    this.#lease = lease;
    this.#renewedAt = began;
    this.#register = new ShardRegister(options, durations.leaseDuration);
    this.#view = new ShardView(this.id, emptyMap, []);
    this.#running = this.#run();
  }

  /** Ends when membership does, with a NotLeaderError. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isOpen(): boolean {
    if (this.#lost.signal.aborted) return false;
    const { renewDeadline } = this.#durations;
    if (this.#left(renewDeadline) > 0) return true;
    // Who waits for the loss is notified later: this may be asked in the middle of sending a request.
    queueMicrotask(() => this.#lose(`its lease could not be renewed for ${renewDeadline} ms`));
    return false;
  }

  get view(): ShardView {
    return this.#view;
  }

  check(): void {
    if (!this.isOpen) throw this.#notMember("its time as a member is over");
  }

  bounds(): CallOptions {
    this.check();
    return { timeout: this.#left(this.#durations.leaseDuration), beforeSend: () => this.check() };
  }

  begin(key: string): boolean {
    if (!this.isOpen || !this.#view.mayStart(key)) return false;
    this.#inFlight.add(key);
    return true;
  }

  end(key: string): void {
    this.#inFlight.delete(key);
  }

  subscribe(listener: ShardListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Leaves the map, for others to take over at once. Nothing may be in flight any more. */
  async leave(): Promise<void> {
    const timeout = this.#durations.retryPeriod;
    this.#lose("it has left");
    await this.#running;
    try {
      for (let attempt = 0; attempt < 5; attempt++) {
        const look = await this.#register.look({ timeout });
        if (!look?.map.members.some(({ id }) => id === this.id)) break;
        const next = withoutMembers(look.map, new Set([this.id]));
        if (await this.#register.swap(look, next, { timeout })) break;
      }
      await this.#register.remove(this.id, { timeout });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #run(): Promise<void> {
    const { clock, random, onError } = this.#options;
    const { signal } = this.#lost;
    this.#armDeadline();
    while (!signal.aborted) {
      const isOutOfDate = await this.#step(signal).catch((error: unknown) => {
        if (!signal.aborted && !isConflict(error)) onError(error);
        return false;
      });
      // Members that look at the same moments would collide each time.
      const pause = isOutOfDate ? 0 : this.#durations.retryPeriod * (1 - random() / 5);
      await sleep(clock, pause, signal).catch(() => undefined);
    }
    this.#deadline?.cancel();
  }

  /** A request that hangs must not keep the deadline from being noticed. */
  #armDeadline(): void {
    const { renewDeadline } = this.#durations;
    const left = this.#left(renewDeadline);
    if (left > 0) this.#deadline = this.#options.clock.setTimer(left, () => this.#armDeadline());
    else this.#lose(`its lease could not be renewed for ${renewDeadline} ms`);
  }

  /** True when it changed the map, and has to look again. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const left = (): number => Math.max(1, this.#left(this.#durations.renewDeadline));
    await this.#renew({ signal, timeout: left() });
    const bounds = { signal, timeout: Math.min(left(), 2 * this.#durations.retryPeriod) };
    const look = await this.#register.look(bounds);
    if (!look) return this.#createMap(bounds);
    const step = await this.#maintain(look, bounds);
    if (step === "unchanged") await this.#follow(look, bounds);
    return step === "changed";
  }

  async #renew(bounds: CallOptions, acknowledged = this.#acknowledged): Promise<void> {
    const { client, clock, namespace } = this.#options;
    const began = momentOf(clock);
    try {
      this.#lease = await client.update(Lease, renewed(this.#lease, clock.now(), acknowledged), bounds);
      this.#renewedAt = began;
      this.#acknowledged = acknowledged;
    } catch (error) {
      if (isNotFound(error)) this.#lose("its lease was deleted");
      // Somebody labelled it, or the answer to our own renewal was lost: the next one starts from what is there.
      else if (isConflict(error)) this.#lease = await client.get(Lease, this.id, { ...bounds, namespace });
      else throw error;
    }
  }

  async #createMap(bounds: CallOptions): Promise<boolean> {
    if (this.#map !== undefined) {
      this.#lose("the map of members was deleted");
      return false;
    }
    await this.#register.create(withMember(emptyMap, this.id), bounds);
    return true;
  }

  /** Enters us in the map, and takes others out of it. */
  async #maintain(look: Look, bounds: CallOptions): Promise<Step> {
    const { map, uid } = look;
    const swapped = async (next: typeof map): Promise<Step> =>
      (await this.#register.swap(look, next, bounds)) ? "changed" : "outrun";
    const isIn = map.members.some(({ id }) => id === this.id);
    if (this.#map !== undefined && (this.#map !== uid || !isIn)) {
      this.#lose("it is no longer in the map of members");
      return "outrun";
    }
    if (!isIn) return swapped(withMember(map, this.id));
    this.#map = uid;
    const gone = new Set(this.#register.goneFrom(look));
    gone.delete(this.id);
    if (gone.size > 0) return swapped(withoutMembers(map, gone));
    await this.#register.tidy(look, bounds);
    return "unchanged";
  }

  /** Takes the present generation to heart, acknowledges it when it can, and finds out what may be begun. */
  async #follow(look: Look, bounds: CallOptions): Promise<void> {
    const { map, uid } = look;
    if (map.generation < this.#view.generation) return;
    if (map.generation > this.#view.generation) this.#handoverEnds = this.#now + this.#durations.handover;
    this.#show(this.#viewOf(look));
    const leftovers = [...this.#inFlight.keys()].filter((key) => !this.#view.owns(key));
    if (leftovers.length === 0) {
      if (this.#acknowledged?.map !== uid || this.#acknowledged.generation < map.generation) {
        await this.#renew(bounds, { map: uid, generation: map.generation });
        this.#show(this.#viewOf(look));
      }
    } else if (this.#now >= this.#handoverEnds) {
      const isLost = (key: string): boolean => !this.#view.owns(key);
      for (const { evicted } of this.#listeners) evicted(isLost);
    }
  }

  #viewOf(look: Look): ShardView {
    return new ShardView(this.id, look.map, this.#register.laggards(look, this.id, this.#acknowledged));
  }

  #show(view: ShardView): void {
    const before = this.#view;
    if (view.identity === before.identity) return;
    this.#view = view;
    const isGained = (key: string): boolean => view.mayStart(key) && !before.mayStart(key);
    for (const { gained } of this.#listeners) gained(isGained);
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }

  #left(duration: number): number {
    return timeLeft(this.#options.clock, this.#renewedAt, duration);
  }

  #lose(why: string): void {
    if (!this.#lost.signal.aborted) this.#lost.abort(this.#notMember(why));
  }

  #notMember(why: string): NotLeaderError {
    return new NotLeaderError(`${this.#options.identity} no longer shares the work: ${why}`);
  }
}
