// Leases of nodes. Renewing them all every ten seconds is work nobody sees, and virtual time would drown in it: they are
// renewed when somebody asks for them, and by the clock once somebody watches. A mark on the lease says so; a node that is
// down renews for the last time, without the mark.
import {
  type Clock,
  formatMicroTime,
  isAlreadyExists,
  isNotFound,
  Lease,
  type Node,
  type Timer,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { nodeLease, renewalMark } from "./node-object.js";
import { Turnstile } from "./turnstile.js";

const interval = 10_000;
const renewedAtOnce = 16;
const namespace = "kube-node-lease";

/** When the lease of the node was last renewed: now, while it is renewed on every read. */
export function lastSignOfLife({ metadata, spec }: Lease, now: number): number {
  if (metadata?.annotations?.[renewalMark] === "on-demand") return now;
  return spec?.renewTime === undefined ? 0 : Date.parse(spec.renewTime);
}

export class Heartbeats {
  /** Each kubelet renews its own. */
  readonly #clientOf: (node: string) => Client;
  readonly #clock: Clock;
  /** The names of those that live. */
  readonly #nodes = new Set<string>();
  readonly #isOnTime: boolean;
  #renewedAt = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  /** With `isOnTime`, leases are renewed by the clock from the beginning: nobody can say who looks. */
  constructor(clientOf: (node: string) => Client, clock: Clock, { isOnTime = false } = {}) {
    this.#clientOf = clientOf;
    this.#clock = clock;
    this.#isOnTime = isOnTime;
  }

  /** The node lives. */
  async add(node: Node): Promise<void> {
    const now = this.#clock.now();
    if (this.#nodes.size === 0) this.#renewedAt = now;
    const name = node.metadata?.name ?? "";
    this.#nodes.add(name);
    const lease = nodeLease(node, now, !this.#isOnTime);
    if (this.#isOnTime) this.keepUp(() => true);
    try {
      await this.#clientOf(name).create(Lease, lease);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#patch(name, { metadata: { annotations: lease.metadata?.annotations }, spec: lease.spec });
    }
  }

  /** The node is gone. */
  remove(name: string): void {
    this.#nodes.delete(name);
  }

  /** The node is down; its lease expires from now on. */
  async silence(name: string): Promise<void> {
    if (!this.#nodes.delete(name)) return;
    const renewTime = formatMicroTime(this.#clock.now());
    await this.#patch(name, { metadata: { annotations: { [renewalMark]: null } }, spec: { renewTime } });
  }

  /** Somebody is about to read leases. */
  async refresh(): Promise<void> {
    const now = this.#clock.now();
    if (this.#isClosed || now - this.#renewedAt < interval) return;
    this.#renewedAt = now;
    const merge = { spec: { renewTime: formatMicroTime(now) } };
    const turnstile = new Turnstile(renewedAtOnce);
    await Promise.all([...this.#nodes].map((name) => turnstile.pass(() => this.#patch(name, merge))));
  }

  /** Somebody watches leases: they are renewed in time for as long as somebody does. */
  keepUp(isWatched: () => boolean): void {
    if (this.#isClosed || this.#timer) return;
    this.#timer = this.#clock.setTimer(interval, () => {
      this.#timer = undefined;
      if (!isWatched()) return;
      this.refresh()
        .catch(() => undefined)
        .finally(() => this.keepUp(isWatched));
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #patch(name: string, merge: object): Promise<void> {
    try {
      await this.#clientOf(name).patch(Lease, name, { merge }, { namespace });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
