// The driver opens its connections itself, to an address. Where a member is reached through the API server, this is that address: a port
// of the loopback device of this machine, whose connections go on through the API server. What comes out of it is inside a member's pod,
// where MongoDB trusts more than elsewhere, so that connections of other users of this machine are refused where the system names them.
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export class LoopbackRelay {
  readonly #open: () => Promise<Duplex>;
  readonly #server: Server;
  readonly #streams = new Set<Duplex>();
  #address: Promise<string> | undefined;

  constructor(open: () => Promise<Duplex>) {
    this.#open = open;
    this.#server = createServer((socket) => {
      if (isOwn(socket)) void this.#relay(socket);
      else socket.destroy();
    });
    this.#server.unref();
  }

  /** The address to connect to; listening begins with the first call. */
  address(): Promise<string> {
    this.#address ??= new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", () => {
        resolve(`127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
      });
    });
    return this.#address;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#server.close();
  }

  async #relay(socket: Socket): Promise<void> {
    this.#keep(socket);
    try {
      const stream = await this.#open();
      this.#keep(stream);
      for (const [from, to] of [
        [socket, stream],
        [stream, socket],
      ] as const) {
        from.once("close", () => to.destroy());
        from.pipe(to);
      }
    } catch {
      // The driver sees a closed connection, and reports the member as one that does not answer.
      socket.destroy();
    }
  }

  #keep(stream: Duplex): void {
    this.#streams.add(stream);
    stream.on("error", () => stream.destroy());
    stream.once("close", () => this.#streams.delete(stream));
  }
}

const hexadecimal = (port: number | undefined): string =>
  (port ?? 0).toString(16).toUpperCase().padStart(4, "0");

/** Whether this process's own user opened the other end. Linux lists connections with their users; elsewhere nobody is refused. */
function isOwn({ remotePort, localPort }: Socket): boolean {
  const uid = process.getuid?.();
  const table = connections();
  if (uid === undefined || table === undefined) return true;
  const [from, to] = [`0100007F:${hexadecimal(remotePort)}`, `0100007F:${hexadecimal(localPort)}`];
  return table.some(
    ([, local, remote, , , , , owner]) => local === from && remote === to && Number(owner) === uid,
  );
}

function connections(): readonly (readonly string[])[] | undefined {
  try {
    const lines = readFileSync("/proc/net/tcp", "utf8").trim().split("\n");
    return lines.slice(1).map((line) => line.trim().split(/\s+/));
  } catch {
    return undefined;
  }
}
