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

  /** Listens for these Services, and no longer for others. One without endpoints refuses connections. */
  update(ports: readonly ServicePort[]): void {
    const wanted = new Map(
      ports.filter(({ targets }) => targets.length > 0).map((each) => [`${each.address}:${each.port}`, each]),
    );
    for (const [key, { server }] of this.#listening) {
      if (wanted.has(key)) continue;
      this.#listening.delete(key);
      server.close();
    }
    for (const [key, each] of wanted) {
      const known = this.#listening.get(key);
      if (known) known.targets = each.targets;
      else void this.#listen(key, each);
    }
  }

  async #listen(key: string, { address, port, targets }: ServicePort): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => void this.#serve(key, client));
    const listening = { server, targets, next: 0 };
    this.#listening.set(key, listening);
    server.on("error", (error) => {
      if (this.#listening.get(key) === listening) this.#listening.delete(key);
      this.#options.report(`service ${key}: ${error.message}`);
    });
    await this.#options.own(address);
    if (this.#listening.get(key) === listening) server.listen(port, address);
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
