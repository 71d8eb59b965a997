// A log over a WebSocket: its bytes are messages as they come. What clients say is ignored.
import { ApiError, type MessageSocket, type TransportRequest, type TransportResponse } from "@kubewright/api";

/** Those that are spoken; clients that name none get the same. */
const protocols = ["binary.k8s.io", ""];

/** The answer as such a client wants it; as it is for others, and where there is no log. Throws 403 where nobody speaks what is offered. */
export function logForClient(request: TransportRequest, answer: TransportResponse): TransportResponse {
  const { body } = answer;
  if (request.headers?.["upgrade"]?.toLowerCase() !== "websocket" || answer.status !== 200) return answer;
  if (body.kind !== "bytes" && body.kind !== "stream") return answer;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const protocol = offered.find((name) => protocols.includes(name));
  if (protocol === undefined) throw unspoken();
  const chunks = body.kind === "stream" ? body.chunks : [body.bytes];
  const serve = (socket: MessageSocket): void => void send(socket, chunks);
  return { status: 101, headers: {}, body: { kind: "empty" }, upgrade: { protocol, serve } };
}

const unspoken = (): ApiError =>
  new ApiError("none of the subprotocols offered is spoken here; there is: binary.k8s.io", {
    code: 403,
    reason: "Forbidden",
  });

/** A message of nothing says first that the connection stands. */
async function send(
  socket: MessageSocket,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  let isOver = false;
  socket.listen({
    onMessage: () => undefined,
    onEnd: () => {
      isOver = true;
    },
  });
  await socket.send(new Uint8Array(0));
  for await (const chunk of chunks) {
    if (isOver) break;
    await socket.send(chunk);
  }
  socket.close();
}
