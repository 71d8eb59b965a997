// A connection to a port of a pod as a stream, for clients that speak HTTP over it.
import { type Duplex, duplexPair } from "node:stream";
import type { PortConnection } from "./port-stream.js";

/** Opens it; the stream ends when the port's server is done, with its error where it failed. */
export function portDuplex(port: number, serve: (connection: PortConnection) => Promise<void>): Duplex {
  const [client, server] = duplexPair();
  const ended = new AbortController();
  client.once("close", () => {
    ended.abort();
    server.destroy();
  });
  server.on("error", () => undefined);
  const send = async (bytes: string | Uint8Array): Promise<void> => {
    if (server.destroyed || server.write(bytes)) return;
    await new Promise<void>((resolve) => server.once("drain", resolve).once("close", resolve));
  };
  serve({ port, received: server, signal: ended.signal, send }).then(
    () => server.end(),
    (error: unknown) => client.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return client;
}
