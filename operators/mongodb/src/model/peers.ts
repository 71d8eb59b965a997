// What a member of the model knows of the others: their last answers, and how much of its log they have.
import type { PeerReply } from "./peer-messages.js";

export interface Peer {
  reply: PeerReply | undefined;
  /** When it last answered, on the clock that never jumps; undefined when the last call failed. */
  heardAt: number | undefined;
  lastHeardAt: number;
  isBusy: boolean;
  isDue: boolean;
  matched: number;
  next: number;
}

export class Peers {
  readonly #peers = new Map<string, Peer>();

  of(host: string): Peer {
    const known = this.#peers.get(host);
    if (known) return known;
    const made: Peer = {
      reply: undefined,
      heardAt: undefined,
      lastHeardAt: Number.NEGATIVE_INFINITY,
      isBusy: false,
      isDue: false,
      matched: 0,
      next: 1,
    };
    this.#peers.set(host, made);
    return made;
  }

  /** A new primary knows nothing of the logs of the others. */
  forget(next: number, now: number): void {
    for (const peer of this.#peers.values()) {
      peer.matched = 0;
      peer.next = next;
      peer.lastHeardAt = now;
    }
  }
}
