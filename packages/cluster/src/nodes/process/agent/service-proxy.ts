// Makes Services reachable: listens at the address of each, and passes connections on to its endpoints, one after another.
import { createServer, type Server, type Socket } from "node:net";
import type { ServicePort, ServiceTarget } from "./messages.js";

export interface ServiceProxyOptions {
  /** Connects to an endpoint. */
  readonly connect: (target: ServiceTarget) => Promise<Socket>;
  /** Makes an address one of ours before it is listened at. */
  readonly own: (address: string) => Promise<void>;
  readonly report: (message: string) => void;
}

interface Listening {
  readonly server: Server;
  /** Settles when it listens, or has been reported as failed. */
  readonly begun: Promise<void>;
  targets: readonly ServiceTarget[];
  next: number;
}

export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  /** By address and port. */
  readonly #listening = new Map<string, Listening>();

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
  }

  /** Listens for these Services, and no longer for others. One without endpoints refuses connections. Never rejects. */
  async update(ports: readonly ServicePort[]): Promise<void> {
    const wanted = new Map(
      ports.filter(({ targets }) => targets.length > 0).map((each) => [`${each.address}:${each.port}`, each]),
    );
    for (const [key, { server }] of this.#listening) {
      if (wanted.has(key)) continue;
      this.#listening.delete(key);
      server.close();
    }
    const listening = [...wanted].map(([key, each]) => {
      const known = this.#listening.get(key) ?? this.#listen(key, each);
      known.targets = each.targets;
      return known.begun;
    });
    await Promise.all(listening);
  }

  #listen(key: string, { address, port, targets }: ServicePort): Listening {
    const server = createServer({ allowHalfOpen: true }, (client) => void this.#serve(key, client));
    const isMeant = (): boolean => this.#listening.get(key)?.server === server;
    const begun = this.#begin(server, address, port, isMeant).catch((error: Error) => {
      // The next tables try again.
      if (isMeant()) this.#listening.delete(key);
      this.#options.report(`service ${key}: ${error.message}`);
    });
    const listening = { server, begun, targets, next: 0 };
    this.#listening.set(key, listening);
    return listening;
  }

  async #begin(server: Server, address: string, port: number, isMeant: () => boolean): Promise<void> {
    await this.#options.own(address);
    if (!isMeant()) return;
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      server.on("close", resolve);
      server.listen(port, address, resolve);
    });
  }

  /** An endpoint that does not answer is passed over. */
  async #serve(key: string, client: Socket): Promise<void> {
    client.on("error", () => undefined);
    const listening = this.#listening.get(key);
    for (let tried = 0; listening && tried < listening.targets.length; tried++) {
      const target = listening.targets[listening.next++ % listening.targets.length];
      if (!target) break;
      try {
        const upstream = await this.#options.connect(target);
        join(client, upstream);
        return;
      } catch {
        // The next endpoint may answer.
      }
    }
    client.destroy();
  }
}

/** Passes on what comes, until both sides are done. */
export function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => {
      if (!to.writableEnded) to.end();
    });
    from.pipe(to);
  }
}
