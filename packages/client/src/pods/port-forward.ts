// A connection to a port of a pod. The server first names the port on both channels, then one carries the bytes and the
// other says what went wrong.
import { Duplex } from "node:stream";
import type { Clock } from "@kubewright/api";
import { ConnectionError } from "../connection-error.js";
import type { OpenedSocket } from "../websocket/open-websocket.js";
import { Channels } from "./channels.js";

const channel = { data: 0, error: 1 } as const;
const portLength = 2;

/** The connection as a stream that can be read and written. */
export function portStream(what: string, socket: OpenedSocket, clock: Clock): Duplex {
  const channels = new Channels(socket, clock);
  const bytes = withoutPrefix(channels.read(channel.data));
  const errors = withoutPrefix(channels.read(channel.error));
  const stream = new Duplex({
    read() {
      bytes.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (cause: unknown) =>
          this.destroy(new ConnectionError(`${what}: the connection broke`, "closed", { cause })),
      );
    },
    write(chunk: Uint8Array, _encoding, callback) {
      channels.write(channel.data, chunk).then(() => callback(), callback);
    },
    destroy(error, callback) {
      channels.close();
      callback(error);
    },
  });
  void failWith(stream, what, errors);
  return stream;
}

async function failWith(stream: Duplex, what: string, errors: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const message of errors) {
      const reason = Buffer.from(message).toString("utf8").trim();
      stream.destroy(new ConnectionError(`${what}: ${reason}`, "refused"));
    }
  } catch {
    // A broken connection is reported by the reading side.
  }
}

/** The bytes after the port number that each channel begins with. */
async function* withoutPrefix(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let left = portLength;
  for await (const chunk of bytes) {
    const rest = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
  return undefined;
}
