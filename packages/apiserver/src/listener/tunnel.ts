// Tunnels: connections that are passed on as they are, whatever protocol the client and the aggregated server agreed on.
import type { Duplex } from "node:stream";
import type { TransportResponse } from "@kubewright/api";

/** The other end of a connection, and what came over it with the agreement. */
export interface Tunnel {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** The lines of the agreement: names and values in turn. */
  readonly rawHeaders: readonly string[];
}

/** An answer of a server behind this one that agreed to an upgrade. */
export interface TunnelResponse extends TransportResponse {
  readonly tunnel: Tunnel;
}

export const isTunnel = (response: TransportResponse): response is TunnelResponse => "tunnel" in response;

/** Passes on the agreement and then everything, both ways, until one side ends. */
export function joinTunnel(client: Duplex, head: Buffer, { socket, head: early, rawHeaders }: Tunnel): void {
  const lines = ["HTTP/1.1 101 Switching Protocols"];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  join(client, socket, head, early);
}

/** Makes two connections one. */
export function join(client: Duplex, server: Duplex, fromClient: Buffer, fromServer: Buffer): void {
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  for (const side of [client, server]) side.on("error", end).on("close", end);
  if (fromServer.length > 0) client.write(fromServer);
  if (fromClient.length > 0) server.write(fromClient);
  client.pipe(server);
  server.pipe(client);
}
