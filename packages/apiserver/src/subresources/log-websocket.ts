// A log over a WebSocket: its bytes are messages as they come. What clients say is ignored.
import { ApiError, type MessageSocket, type TransportRequest, type TransportResponse } from "@kubewright/api";

/** The supported protocols; clients that name none get the first. In the second, messages are text in base64. */
const protocols = ["binary.k8s.io", "base64.binary.k8s.io", ""];

/** The answer as such a client wants it; as it is for others, and where there is no log. Throws 403 where no offered protocol is supported. */
export function logForClient(request: TransportRequest, answer: TransportResponse): TransportResponse {
  const { body } = answer;
  if (request.headers?.["upgrade"]?.toLowerCase() !== "websocket" || answer.status !== 200) return answer;
  if (body.kind !== "bytes" && body.kind !== "stream") return answer;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const protocol = offered.find((name) => protocols.includes(name));
  if (protocol === undefined) throw unspoken();
  const chunks = body.kind === "stream" ? body.chunks : [body.bytes];
  const encode = protocol === "base64.binary.k8s.io" ? base64Message : binaryMessage;
  const serve = (socket: MessageSocket): void => void send(socket, chunks, encode);
  return { status: 101, headers: {}, body: { kind: "empty" }, upgrade: { protocol, serve } };
}

const unspoken = (): ApiError =>
  new ApiError(
    "none of the subprotocols offered is spoken here; there are: binary.k8s.io, base64.binary.k8s.io",
    {
      code: 403,
      reason: "Forbidden",
    },
  );

const binaryMessage = (socket: MessageSocket, chunk: Uint8Array): Promise<void> => socket.send(chunk);

function base64Message(socket: MessageSocket, chunk: Uint8Array): Promise<void> {
  const text = Buffer.from(Buffer.from(chunk).toString("base64"));
  return socket.sendText?.(text) ?? socket.send(text);
}

/** A message of nothing says first that the connection stands. */
async function send(
  socket: MessageSocket,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  message: typeof binaryMessage,
): Promise<void> {
  let isOver = false;
  socket.listen({
    onMessage: () => undefined,
    onEnd: () => {
      isOver = true;
    },
  });
  await message(socket, new Uint8Array(0));
  for await (const chunk of chunks) {
    if (isOver) break;
    await message(socket, chunk);
  }
  socket.close();
}
