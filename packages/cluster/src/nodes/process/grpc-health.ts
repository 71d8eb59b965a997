// gRPC probes: `grpc.health.v1.Health/Check` over HTTP/2, with the words that kubelets have for its outcomes. The two messages of the
// protocol are one text and one number, so that they are written here rather than by a library.
import { connect as connectHttp2, constants } from "node:http2";
import type { GRPCAction } from "@kubewright/api";
import type { ProbeOutcome } from "../container-runtime.js";
import type { Connect } from "./node-network.js";

/** Names of the codes that calls end with, by number. */
const codes = [
  ..."OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied".split(
    " ",
  ),
  ..."ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable".split(" "),
  ..."DataLoss Unauthenticated".split(" "),
];
const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const serving = 1;

/** How a call ended. */
interface CallEnd {
  readonly body: Buffer;
  readonly code: number;
  readonly message: string;
}

/** Asks a server for the health of a service; the empty name stands for the server itself. */
export async function checkHealth(
  { port, service = "" }: GRPCAction,
  { podIP, connect }: { readonly podIP: string; readonly connect: Connect },
  limit: number,
): Promise<ProbeOutcome> {
  const host = `${podIP}:${port}`;
  const seconds = `${limit / 1000}s`;
  const deadline = AbortSignal.timeout(limit);
  const socket = await connect(podIP, port).catch(() => undefined);
  if (!socket)
    return failed(
      `timeout: failed to connect service "${host}" within ${seconds}: context deadline exceeded`,
    );
  const session = connectHttp2(`http://${host}`, { createConnection: () => socket });
  try {
    const end = await new Promise<CallEnd>((resolve, reject) => {
      deadline.addEventListener("abort", () => reject(deadline.reason), { once: true });
      session.on("error", reject);
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: "POST",
        [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
        "content-type": "application/grpc",
        "user-agent": "kube-probe/1.36",
        te: "trailers",
      });
      const chunks: Buffer[] = [];
      // A call that fails at once has its code in the headers, any other in the trailers.
      let last: { readonly [name: string]: unknown } = {};
      stream.on("response", (headers) => {
        last = headers;
      });
      stream.on("trailers", (headers) => {
        last = headers;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("end", () => resolve(callEnd(Buffer.concat(chunks), last)));
      stream.end(healthRequest(service));
    });
    return healthOutcome(end);
  } catch (error) {
    if (deadline.aborted) return failed(`timeout: health rpc did not complete within ${seconds}`);
    const text = error instanceof Error ? error.message : String(error);
    return failed(`error: health rpc probe failed: rpc error: code = Unavailable desc = ${text}`);
  } finally {
    session.destroy();
    socket.destroy();
  }
}

const failed = (message: string): ProbeOutcome => ({ success: false, message });

function callEnd(body: Buffer, headers: { readonly [name: string]: unknown }): CallEnd {
  const code = headers["grpc-status"];
  const isCall = code !== undefined && /^\d+$/.test(String(code));
  return {
    body,
    // A server that knows nothing of gRPC has no code for it.
    code: isCall ? Number(code) : codes.indexOf("Unknown"),
    message: isCall
      ? decoded(String(headers["grpc-message"] ?? ""))
      : `unexpected HTTP status code received from server: ${headers[":status"]}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function healthOutcome({ body, code, message }: CallEnd): ProbeOutcome {
  const name = codes[code] ?? `Code(${code})`;
  if (name === "Unimplemented")
    return failed(
      `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`,
    );
  if (name !== "OK")
    return failed(`error: health rpc probe failed: rpc error: code = ${name} desc = ${message}`);
  const status = healthStatus(body);
  return status === serving
    ? { success: true }
    : failed(`service unhealthy (responded with "${statuses[status] ?? status}")`);
}

/** `HealthCheckRequest { string service = 1; }`, behind the five bytes that begin every message. */
function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.of(0x0a), varint(name.length), name]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.of(...bytes, rest);
}

/** `HealthCheckResponse { ServingStatus status = 1; }`; a status that is not there is UNKNOWN. */
const healthStatus = (body: Buffer): number => (body[5] === 0x08 ? (body[6] ?? 0) : 0);
