// The addresses of a cluster whose pods have no network of their own. Linux answers at every address of 127.0.0.0/8 without any
// setup, so each address that the API shows stands privately for one of those; a cluster has 65,000 of them to itself.
import { createSocket, type Socket } from "node:dgram";
import { ProcessNodesError } from "./machine.js";

/** The second byte of the first and the last part; the lower ones are used by others. */
const firstPart = 64;
const lastPart = 191;
/** A datagram port that is bound to show that a part is taken; the kernel frees it even after a kill. */
const claimPort = 10_256;

export class LoopbackAddresses {
  readonly #part: number;
  readonly #claim: Socket;
  readonly #known = new Map<string, string>();

  private constructor(part: number, claim: Socket) {
    this.#part = part;
    this.#claim = claim;
  }

  /** Claims a part of the loopback addresses that no other cluster of this machine uses. */
  static async claim(): Promise<LoopbackAddresses> {
    for (let part = firstPart; part <= lastPart; part++) {
      const socket = await bound(`127.${part}.0.0`);
      if (socket) return new LoopbackAddresses(part, socket);
    }
    throw new ProcessNodesError("every part of the loopback addresses is used by another cluster");
  }

  /** The loopback address that stands for an address of the cluster. */
  of(address: string): string {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const number = this.#known.size + 1;
    if (number >= 65_535) throw new Error(`there is no loopback address left for ${address}`);
    const own = `127.${this.#part}.${number >> 8}.${number & 255}`;
    this.#known.set(address, own);
    return own;
  }

  /** The loopback address of an address that has one already; any other address stands for itself. */
  find(address: string): string {
    return this.#known.get(address) ?? address;
  }

  close(): void {
    this.#claim.close();
  }
}

function bound(address: string): Promise<Socket | undefined> {
  const socket = createSocket("udp4");
  return new Promise((resolve) => {
    socket.once("error", () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ address, port: claimPort, exclusive: true }, () => {
      socket.unref();
      resolve(socket);
    });
  });
}
