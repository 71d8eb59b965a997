// Upgrades without a socket: a client in the same process gets one end of a pipe, the server the other.
import { type Duplex, duplexPair } from "node:stream";
import type { Transport, TransportRequest, TransportResponse } from "@kubewright/api";
import { acceptKey, ServerWebSocket } from "@kubewright/api/websocket";

/** Sends a request that asks for an upgrade; with status 101 the answer has the client's end of the connection. */
export async function upgradeInProcess(
  handle: Transport,
  request: TransportRequest,
  protocol: string,
): Promise<TransportResponse & { readonly socket?: Duplex }> {
  const headers: Record<string, string> = { ...request.headers, connection: "Upgrade", upgrade: protocol };
  const { upgrade, ...response } = await handle({ ...request, headers });
  if (!upgrade) return response;
  const [client, server] = duplexPair();
  upgrade.serve(new ServerWebSocket(server, Buffer.alloc(0)));
  const accepted = {
    "sec-websocket-accept": acceptKey(headers["sec-websocket-key"] ?? ""),
    "sec-websocket-protocol": upgrade.protocol,
  };
  return { status: 101, headers: accepted, body: { kind: "empty" }, socket: client };
}
