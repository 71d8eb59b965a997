// Long-running responses, with a callback at their end.
import type { MessageSocket, TransportResponse, Upgrade } from "@kubewright/api";
import { isTunnel } from "../listener/tunnel.js";
import { EventStream } from "../watches/event-stream.js";

/** The answer, with a callback at its end; undefined when it is one that is there at once. */
export function withEndCallback(
  response: TransportResponse,
  onEnd: () => void,
): TransportResponse | undefined {
  const { body, upgrade } = response;
  if (isTunnel(response)) {
    response.tunnel.socket.once("close", onEnd);
    return response;
  }
  if (upgrade) return { ...response, upgrade: withCloseCallback(upgrade, onEnd) };
  if (body.kind === "events" && body.events instanceof EventStream) {
    body.events.onEnd(onEnd);
    return response;
  }
  if (body.kind === "stream") return { ...response, body: { ...body, chunks: until(body.chunks, onEnd) } };
  return undefined;
}

const withCloseCallback = (upgrade: Upgrade, onEnd: () => void): Upgrade => ({
  ...upgrade,
  serve: (socket) => upgrade.serve(new ObservedSocket(socket, onEnd)),
});

/** A socket that also calls `onEnd` when it ends. */
class ObservedSocket implements MessageSocket {
  readonly #socket: MessageSocket;
  readonly #onEnd: () => void;

  constructor(socket: MessageSocket, onEnd: () => void) {
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  send(message: Uint8Array): Promise<void> {
    return this.#socket.send(message);
  }

  sendText(text: Uint8Array): Promise<void> {
    return this.#socket.sendText?.(text) ?? this.#socket.send(text);
  }

  listen({ onMessage, onEnd }: Parameters<MessageSocket["listen"]>[0]): void {
    this.#socket.listen({
      onMessage,
      onEnd: () => {
        onEnd();
        this.#onEnd();
      },
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close();
  }
}

async function* until(chunks: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    onEnd();
  }
}
