// Leader election on a Lease: of several replicas one works at a time.
//
// Flow
// - A candidate looks at the lease now and then. It takes it when nobody holds it, or when the holder has not renewed it
//   for the lease's whole duration, as measured here from when the last change was seen.
// - The holder renews it every few seconds. When that has not succeeded for `renewDeadline`, it stops leading.
// - On a clean stop it releases the lease, so that the next one need not wait.
//
// Guarantees
// - No two replicas take themselves for the leader at the same time: the holder counts from before it sent its last successful renewal,
//   candidates from after they saw it, and the holder's time is the shorter one.
// - Clocks may differ and jump: times in the lease are for people, only durations of each replica's own clocks count. A wall clock that
//   jumps ahead by more than the renew deadline ends leadership: it may be a machine that slept, which others do not wait for.
// - After leadership is lost the fence lets no reconcile begin and no request leave, and writes sent before must be answered while
//   the lease still holds. That is so too for a process that was stopped, or whose machine slept, from the moment it goes on.
//
// Assumptions
// - Clocks of different machines run at about the same rate (15 s against 10 s leave room for half as fast again).
// - What a process had already handed to the operating system when it was stopped may still arrive, as may a request whose last check
//   and whose write to the connection fall on both sides of the stop: they are microseconds apart.
import {
  type Clock,
  formatMicroTime,
  isAlreadyExists,
  isConflict,
  isNotFound,
  Lease,
  type LeaseSpec,
  sleep,
} from "@kubewright/api";
import type { CallOptions, Client } from "@kubewright/client";
import type { AccessNeed } from "../rbac/access-need.js";
import { type Fence, NotLeaderError } from "./fence.js";
import { type Moment, momentOf, timeLeft } from "./lease-time.js";

/** The Lease that replicas compete for, and how long it is held, renewed and waited for. */
export interface LeaderElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly leaseName: string;
  readonly namespace: string;
  /** Unique among all replicas, also after a restart. */
  readonly identity: string;
  /** The time for which a lease that is not renewed is valid, in milliseconds. Default: 15 s. */
  readonly leaseDuration?: number | undefined;
  /** The time after which a leader without a successful renewal stops leading. Default: 10 s. */
  readonly renewDeadline?: number | undefined;
  /** The interval of looks and renewals. Default: 2 s. */
  readonly retryPeriod?: number | undefined;
  /** Called with the error of a look or a renewal that failed; it is retried. */
  readonly onError: (error: unknown) => void;
  /** Called with the identity of the holder when another replica holds the lease, once for each holder. */
  readonly onHeld?: ((holder: string) => void) | undefined;
}

interface Durations {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** Takes part in a leader election by a Lease. */
export class LeaderElector {
  readonly #options: LeaderElectionOptions;
  readonly #durations: Durations;
  /** The lease as last seen, and when that state was first seen. */
  #seen: { readonly version: string | undefined; readonly at: number } | undefined;
  /** The other replica that was last reported to hold it. */
  #heldBy: string | undefined;

  constructor(options: LeaderElectionOptions) {
    const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000 } = options;
    if (!(retryPeriod > 0 && retryPeriod < renewDeadline && renewDeadline < leaseDuration))
      throw new RangeError("leader election needs retryPeriod < renewDeadline < leaseDuration");
    this.#options = options;
    this.#durations = { leaseDuration, renewDeadline, retryPeriod };
  }

  /** The permissions it needs. */
  get need(): AccessNeed {
    const { namespace } = this.#options;
    return {
      group: Lease.group,
      resource: Lease.plural,
      verbs: ["get", "create", "update"],
      namespaces: [namespace],
    };
  }

  /** Resolves when this replica leads; rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<Leadership> {
    const { clock, random, onError } = this.#options;
    const { retryPeriod, renewDeadline } = this.#durations;
    for (;;) {
      signal.throwIfAborted();
      const began = momentOf(clock);
      try {
        const lease = await this.#tryToTake({ signal, timeout: renewDeadline });
        if (lease) return new Leadership(this.#options, this.#durations, lease, began);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!isConflict(error) && !isAlreadyExists(error)) onError(error);
      }
      // Candidates that look at the same moments would collide each time.
      await sleep(clock, retryPeriod * (1 + random() / 5), signal);
    }
  }

  /** The lease, if it could be taken. */
  async #tryToTake(bounds: CallOptions): Promise<Lease | undefined> {
    const { client, leaseName, namespace } = this.#options;
    const lease = await client.get(Lease, leaseName, { ...bounds, namespace }).catch(absent);
    if (!lease) return this.#create(bounds);
    if (!this.#isFree(lease)) {
      this.#reportHolder(lease.spec?.holderIdentity ?? "");
      return undefined;
    }
    const transitions = (lease.spec?.leaseTransitions ?? 0) + 1;
    return client.update(Lease, { ...lease, spec: this.#taken(transitions, lease.spec) }, bounds);
  }

  #reportHolder(holder: string): void {
    if (holder === this.#heldBy) return;
    this.#heldBy = holder;
    this.#options.onHeld?.(holder);
  }

  #create(bounds: CallOptions): Promise<Lease> {
    const { client, leaseName: name, namespace } = this.#options;
    return client.create(Lease, { metadata: { name, namespace }, spec: this.#taken(0) }, bounds);
  }

  #isFree({ metadata, spec }: Lease): boolean {
    const now = this.#options.clock.monotonic();
    const version = metadata?.resourceVersion;
    if (!this.#seen || this.#seen.version !== version) this.#seen = { version, at: now };
    // Its own lease, of a time as leader that has ended, or whose beginning it was not told of.
    if (!spec?.holderIdentity || spec.holderIdentity === this.#options.identity) return true;
    const duration = (spec.leaseDurationSeconds ?? 0) * 1000 || this.#durations.leaseDuration;
    return now - this.#seen.at > duration;
  }

  #taken(leaseTransitions: number, before?: LeaseSpec): LeaseSpec {
    const { clock, identity } = this.#options;
    const time = formatMicroTime(clock.now());
    return {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#durations.leaseDuration / 1000),
      acquireTime: time,
      renewTime: time,
      leaseTransitions,
    };
  }
}

/** The time of one replica as leader, and the fence that keeps its writes within that time. */
export class Leadership implements Fence {
  readonly #options: LeaderElectionOptions;
  readonly #durations: Durations;
  readonly #lost = new AbortController();
  readonly #renewing: Promise<void>;
  readonly #stop = new AbortController();
  #lease: Lease;
  /** When the last successful renewal was begun. */
  #renewedAt: Moment;

  constructor(options: LeaderElectionOptions, durations: Durations, lease: Lease, began: Moment) {
    this.#options = options;
    this.#durations = durations;
    this.#lease = lease;
    this.#renewedAt = began;
    this.#renewing = this.#renew();
  }

  /** Aborted when leadership ends, with a NotLeaderError. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isOpen(): boolean {
    if (this.#lost.signal.aborted) return false;
    const { renewDeadline } = this.#durations;
    if (this.#left(renewDeadline) > 0) return true;
    // Who waits for the loss is notified later: this may be asked in the middle of sending a request.
    queueMicrotask(() => this.#lose(`the lease could not be renewed for ${renewDeadline} ms`));
    return false;
  }

  /** The time, in milliseconds, for which the lease could have been another's; 0 while it could not. */
  get overdue(): number {
    return Math.max(0, -this.#left(this.#durations.leaseDuration));
  }

  check(): void {
    if (!this.isOpen) throw this.#notLeader("its time as leader is over");
  }

  bounds(): CallOptions {
    this.check();
    return { timeout: this.#left(this.#durations.leaseDuration), beforeSend: () => this.check() };
  }

  /** Stops renewing and releases the lease, for the next one to take at once. Writes are refused from here on. */
  async release(): Promise<void> {
    const isHeld = this.isOpen;
    const timeout = this.#left(this.#durations.leaseDuration);
    this.#lose("leadership was given back");
    await this.#renewing;
    if (!isHeld) return;
    const { client, clock, onError } = this.#options;
    const time = formatMicroTime(clock.now());
    const spec = { ...this.#lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: time };
    await client.update(Lease, { ...this.#lease, spec }, { timeout }).catch(onError);
  }

  #left(duration: number): number {
    return timeLeft(this.#options.clock, this.#renewedAt, duration);
  }

  async #renew(): Promise<void> {
    const { clock } = this.#options;
    const { retryPeriod, renewDeadline } = this.#durations;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // A request that hangs must not keep the deadline from being noticed.
      const deadline = clock.setTimer(this.#left(renewDeadline), () =>
        this.#lose(`the lease could not be renewed for ${renewDeadline} ms`),
      );
      await sleep(clock, Math.min(retryPeriod, Math.max(0, this.#left(renewDeadline))), signal).catch(
        () => undefined,
      );
      if (!signal.aborted) await this.#renewOnce(signal);
      deadline.cancel();
    }
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const { client, clock, onError } = this.#options;
    const began = momentOf(clock);
    const bounds = { signal, timeout: Math.max(1, this.#left(this.#durations.renewDeadline)) };
    const spec = { ...this.#lease.spec, renewTime: formatMicroTime(clock.now()) };
    try {
      this.#lease = await client.update(Lease, { ...this.#lease, spec }, bounds);
      this.#renewedAt = began;
    } catch (error) {
      if (signal.aborted) return;
      if (isConflict(error) || isNotFound(error)) await this.#lookAgain(bounds).catch(onError);
      else onError(error);
    }
  }

  /** Somebody changed the lease: a label, or its holder. */
  async #lookAgain(bounds: CallOptions): Promise<void> {
    const { client, leaseName, namespace, identity } = this.#options;
    const lease = await client.get(Lease, leaseName, { ...bounds, namespace }).catch(absent);
    if (!lease) this.#lose("the lease was deleted");
    else if (lease.spec?.holderIdentity !== identity)
      this.#lose(`the lease is held by ${lease.spec?.holderIdentity || "nobody"}`);
    else this.#lease = lease;
  }

  #lose(why: string): void {
    if (this.#lost.signal.aborted) return;
    const reason = this.#notLeader(why);
    this.#lost.abort(reason);
    this.#stop.abort(reason);
  }

  #notLeader(why: string): NotLeaderError {
    return new NotLeaderError(`${this.#options.identity} no longer leads: ${why}`);
  }
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
