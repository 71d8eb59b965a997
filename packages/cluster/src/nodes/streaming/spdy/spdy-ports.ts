// Forwarded ports over SPDY: for each connection an error stream and a data stream, distinguished by their headers.
import type { MessageSocket } from "@kubewright/api";
import type { PortConnection } from "../port-stream.js";
import { SpdySession, type SpdyStream } from "./spdy-session.js";

/** As clients offer it; for WebSockets with `SPDY/3.1+` before it. */
export const spdyPortProtocol = "portforward.k8s.io";

export function serveSpdyPorts(
  socket: MessageSocket,
  serve: (connection: PortConnection) => Promise<void>,
): void {
  /** By number of the request. */
  const errors = new Map<string, SpdyStream>();
  const session = new SpdySession(socket, (stream) => {
    const request = stream.headers.get("requestid") ?? "";
    if (stream.headers.get("streamtype") === "error") {
      errors.set(request, stream);
      return;
    }
    const error = errors.get(request);
    errors.delete(request);
    void forward(stream, error, session.signal, serve);
  });
}

async function forward(
  data: SpdyStream,
  error: SpdyStream | undefined,
  signal: AbortSignal,
  serve: (connection: PortConnection) => Promise<void>,
): Promise<void> {
  const port = Number(data.headers.get("port"));
  const send = (bytes: string | Uint8Array): Promise<void> =>
    data.send(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  try {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError("the port is missing");
    await serve({ port, received: data.received, signal, send });
  } catch (failure) {
    const text = failure instanceof Error ? failure.message : String(failure);
    await error?.send(Buffer.from(`an error occurred forwarding to port ${port}: ${text}`));
  }
  await error?.end();
  await data.end();
}
