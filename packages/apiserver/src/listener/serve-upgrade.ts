// Requests that want the connection itself. They are answered as any other; where the answer agrees, the connection becomes
// a WebSocket or is handed over as it is, and everything else is an ordinary response after which it is closed.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { TransportRequest, TransportResponse, Upgrade, WatchEvent } from "@kubewright/api";
import { acceptKey, ServerWebSocket } from "@kubewright/api/websocket";
import { ByteSocket } from "./byte-socket.js";
import { shutdownResponse } from "./closing.js";
import { ReceivedRequest, targetOf } from "./received-request.js";
import { isProtobuf, type ListenerContext, sendResponse } from "./send-response.js";
import { isTunnel, joinTunnel } from "./tunnel.js";
import { watchOver, watchRefusal } from "./watch-websocket.js";

/** Answers one such request. Connections that were handed over are known until they end. */
export async function serveUpgrade(
  {
    incoming,
    socket,
    head,
  }: { readonly incoming: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
  answer: (request: TransportRequest) => Promise<TransportResponse>,
  listener: ListenerContext,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  listener.upgraded.add(socket);
  socket.once("close", () => listener.upgraded.delete(socket));
  const target = targetOf(incoming);
  const outgoing = new ServerResponse(incoming);
  if (typeof target === "number") return respond(outgoing, socket, () => outgoing.writeHead(target).end());
  const request = new ReceivedRequest(incoming, target);
  socket.once("close", () => request.end());
  const closing = listener.isClosing ? shutdownResponse(target.path, listener.sendRetryAfter) : undefined;
  const response = closing ?? (await answer(request));
  if (isTunnel(response)) return joinTunnel(socket, head, response.tunnel);
  if (response.upgrade?.as && !socket.destroyed) {
    acceptBytes(socket, head, response.upgrade.as, response.upgrade);
    return;
  }
  const key = incoming.headers["sec-websocket-key"];
  const isKnown = incoming.headers["sec-websocket-version"] === version;
  if (response.upgrade && key !== undefined && isKnown && !socket.destroyed) {
    accept(socket, head, key, response.upgrade);
    return;
  }
  if (response.body.kind === "events" && key !== undefined && isKnown && isWebSocket(incoming)) {
    const protocols = offeredProtocols(incoming);
    const status = watchRefusal(incoming, protocols);
    if (status === undefined)
      return watch(socket, head, key, {
        protocol: protocols[0] ?? "",
        response,
        events: response.body.events,
      });
    await response.body.events[Symbol.asyncIterator]().return?.();
    return respond(outgoing, socket, () => outgoing.writeHead(status).end());
  }
  await respond(outgoing, socket, () =>
    sendResponse({ incoming, outgoing, request, listener }, refusal(response, isKnown)),
  );
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket";

/** Without the one that is a token. */
const offeredProtocols = ({ headers }: IncomingMessage): readonly string[] =>
  (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("base64url.bearer.authorization.k8s.io."));

function watch(
  socket: Duplex,
  head: Buffer,
  key: string,
  {
    protocol,
    response,
    events,
  }: {
    readonly protocol: string;
    readonly response: TransportResponse;
    readonly events: AsyncIterable<WatchEvent<unknown>>;
  },
): Promise<void> {
  agree(socket, key, protocol);
  return watchOver(new ServerWebSocket(socket, head), events, isProtobuf(response));
}

function accept(socket: Duplex, head: Buffer, key: string, { protocol, serve }: Upgrade): void {
  agree(socket, key, protocol);
  serve(new ServerWebSocket(socket, head));
}

function agree(socket: Duplex, key: string, protocol: string): void {
  const headers = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptKey(key)}`,
    ...(protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  socket.write(`${headers.join("\r\n")}\r\n\r\n`);
}

function acceptBytes(socket: Duplex, head: Buffer, name: string, { protocol, serve }: Upgrade): void {
  const headers = [
    "HTTP/1.1 101 Switching Protocols",
    `Upgrade: ${name}`,
    "Connection: Upgrade",
    `X-Stream-Protocol-Version: ${protocol}`,
  ];
  socket.write(`${headers.join("\r\n")}\r\n\r\n`);
  serve(new ByteSocket(socket, head));
}

/** The version of the WebSocket protocol that there is. */
const version = "13";

/** An upgrade without a key is none, and neither is one of another version. */
function refusal(response: TransportResponse, isKnown: boolean): TransportResponse {
  if (!response.upgrade) return response;
  const text = isKnown ? "the header Sec-WebSocket-Key is missing" : "missing or bad WebSocket Version";
  return {
    status: 400,
    headers: isKnown ? {} : { "sec-websocket-version": version },
    body: { kind: "bytes", bytes: new TextEncoder().encode(text) },
  };
}

/** Node gives up its own bookkeeping for such connections: the response is put on the socket by hand. */
async function respond(outgoing: ServerResponse, socket: Duplex, send: () => unknown): Promise<void> {
  outgoing.shouldKeepAlive = false;
  outgoing.setHeader("connection", "close");
  outgoing.assignSocket(socket as Parameters<ServerResponse["assignSocket"]>[0]);
  outgoing.once("finish", () => socket.end());
  await send();
}
