// Leases of nodes. Renewing them all every ten seconds is work nobody sees, and virtual time would drown in it: they are
// renewed when somebody asks for them, and by the clock once somebody watches.
import { type Clock, formatMicroTime, isNotFound, Lease, type Node, type Timer } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { nodeLease } from "./node-object.js";

const interval = 10_000;

export class Heartbeats {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #nodes: Node[] = [];
  #renewedAt = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async add(node: Node): Promise<void> {
    this.#renewedAt = this.#clock.now();
    this.#nodes.push(node);
    await this.#client.create(Lease, nodeLease(node, this.#renewedAt));
  }

  /** Somebody is about to read leases. */
  async refresh(): Promise<void> {
    const now = this.#clock.now();
    if (this.#isClosed || now - this.#renewedAt < interval) return;
    this.#renewedAt = now;
    for (const { metadata } of this.#nodes) {
      const merge = { spec: { renewTime: formatMicroTime(now) } };
      await this.#client
        .patch(Lease, metadata?.name ?? "", { merge }, { namespace: "kube-node-lease" })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
  }

  /** Somebody watches leases: from now on they are renewed in time. */
  keepUp(): void {
    if (this.#isClosed || this.#timer) return;
    this.#timer = this.#clock.setTimer(interval, () => {
      this.#timer = undefined;
      this.refresh()
        .catch(() => undefined)
        .finally(() => this.keepUp());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }
}
