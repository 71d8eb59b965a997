// A watch over a WebSocket, for browsers: every event is a message, of text unless it is in protobuf. What clients say is ignored.
import type { IncomingMessage } from "node:http";
import { stringifyJson, type WatchEvent } from "@kubewright/api";
import type { ServerWebSocket } from "@kubewright/api/websocket";
import { encodeProtobufEvent } from "@kubewright/machinery";
import { EventStream } from "../watches/event-stream.js";

/** Why such a watch is refused; undefined where it is not. Browsers say where a page is from, and others have to. */
export function watchRefusal(incoming: IncomingMessage, protocols: readonly string[]): 400 | 403 | undefined {
  if (!incoming.headers["origin"]) return 403;
  return protocols.length > 1 ? 400 : undefined;
}

/** Sends events until one side has enough. */
export async function watchOver(
  socket: ServerWebSocket,
  events: AsyncIterable<WatchEvent<unknown>>,
  isProtobuf: boolean,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  let isOver = false;
  socket.listen({
    onMessage: () => undefined,
    onEnd: () => {
      isOver = true;
      void iterator.return?.();
    },
  });
  const sizes = events instanceof EventStream ? events.count?.sizes : undefined;
  for (let next = await iterator.next(); !next.done && !isOver; next = await iterator.next()) {
    const event = next.value;
    const message = isProtobuf
      ? encodeProtobufEvent(event).subarray(4)
      : Buffer.from(`${stringifyJson(event)}\n`);
    sizes?.observe(message.length);
    if (isProtobuf) await socket.send(message);
    else await socket.sendText(message);
  }
  socket.close();
}
