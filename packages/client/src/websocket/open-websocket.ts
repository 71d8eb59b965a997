// The handshake that turns a request into a WebSocket (RFC 6455, section 4), with the errors of any other call.
import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { acceptKey } from "@kubewright/api/websocket";
import { type Call, failure, named } from "../call.js";
import type { Caller } from "../caller.js";
import { ConnectionError } from "../connection-error.js";
import { withinBounds } from "../deadline.js";

/** A connection on which both sides may speak, and the subprotocol they agreed on. */
export interface OpenedSocket {
  readonly socket: Duplex;
  readonly protocol: string;
}

/** Opens a WebSocket that speaks one of `protocols`. */
export function openWebSocket(
  caller: Caller,
  call: Omit<Call, "method">,
  protocols: readonly string[],
): Promise<OpenedSocket> {
  const { clock } = caller.context;
  return withinBounds(clock, call, `${call.what}: no answer`, (signal) =>
    handshake(caller, { ...call, signal }, protocols),
  );
}

async function handshake(
  caller: Caller,
  call: Omit<Call, "method">,
  protocols: readonly string[],
): Promise<OpenedSocket> {
  const { transport, context } = caller;
  if (!transport.upgrade) {
    throw new TypeError(`${call.what}: this transport has no streams in both directions`);
  }
  const key = randomBytes(16).toString("base64");
  const headers = {
    "user-agent": context.userAgent,
    "sec-websocket-version": "13",
    "sec-websocket-key": key,
    "sec-websocket-protocol": protocols.join(", "),
  };
  const { path, query, signal } = call;
  const response = await transport
    .upgrade({ method: "GET", path, query, headers, signal }, "websocket")
    .catch((error: unknown) => {
      throw named(call, error);
    });
  const { socket } = response;
  if (socket === undefined) throw await failure(call, response);
  const protocol = String(response.headers["sec-websocket-protocol"] ?? "");
  if (response.headers["sec-websocket-accept"] !== acceptKey(key) || !protocols.includes(protocol)) {
    socket.destroy();
    const wanted = protocols.join(" or ");
    throw new ConnectionError(
      `${call.what}: the server does not speak ${wanted} over WebSocket`,
      "malformed",
    );
  }
  return { socket, protocol };
}
