// Probes of ports: HTTP, TCP and gRPC, over a connection that somebody else makes.
import { request as httpRequest } from "node:http";
import { connect as connectHttp2, constants } from "node:http2";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Container, HTTPGetAction, IntOrString, Probe } from "@kubewright/api";
import type { ProbeOutcome } from "../container-runtime.js";
import { ConnectError } from "./node-network.js";

export type Connect = (host: string, port: number) => Promise<Socket>;

export interface ProbeTarget {
  readonly container: Container;
  readonly podIP: string;
  readonly connect: Connect;
}

/** Probes a port; undefined when the probe is about none. */
export async function probePort(probe: Probe, target: ProbeTarget): Promise<ProbeOutcome | undefined> {
  const limit = (probe.timeoutSeconds ?? 1) * 1000;
  const work = probe.httpGet
    ? getOver(probe.httpGet, target, limit)
    : probe.tcpSocket
      ? openPort(probe.tcpSocket.host ?? target.podIP, portOf(probe.tcpSocket.port, target.container), target)
      : probe.grpc
        ? checkHealth(probe.grpc.port, probe.grpc.service ?? "", target)
        : undefined;
  if (!work) return undefined;
  return withLimit(work, limit).catch((error: unknown) => ({ success: false, message: textOf(error) }));
}

/** As Go says it, which people search for. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = error instanceof ConnectError ? error.code : "code" in error ? error.code : undefined;
  if (code === "ECONNREFUSED") return "connect: connection refused";
  return code === "EHOSTUNREACH" ? "connect: no route to host" : error.message;
}

function withLimit<T>(work: Promise<T>, limit: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("context deadline exceeded")), limit);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function portOf(port: IntOrString, { ports = [] }: Container): number {
  const number = Number(port);
  if (Number.isInteger(number)) return number;
  const found = ports.find(({ name }) => name === port)?.containerPort;
  if (found === undefined) throw new Error(`couldn't find port: "${port}"`);
  return found;
}

async function openPort(host: string, port: number, { connect }: ProbeTarget): Promise<ProbeOutcome> {
  (await connect(host, port)).destroy();
  return { success: true };
}

/** A GET; what answers from 200 to 399 is well. */
export async function getOver(
  { scheme, path = "/", port, host, httpHeaders = [] }: HTTPGetAction,
  { container, podIP, connect }: ProbeTarget,
  limit: number,
): Promise<ProbeOutcome> {
  const number = portOf(port, container);
  const socket = await connect(host ?? podIP, number);
  const secured = scheme === "HTTPS" ? connectTls({ socket, rejectUnauthorized: false }) : socket;
  const headers: Record<string, string> = {
    host: `${host ?? podIP}:${number}`,
    "user-agent": "kube-probe/1.36",
    accept: "*/*",
    connection: "close",
  };
  for (const { name, value } of httpHeaders) headers[name.toLowerCase()] = value;
  return new Promise<ProbeOutcome>((resolve, reject) => {
    const request = httpRequest(
      { method: "GET", path: path || "/", headers, createConnection: () => secured },
      (response) => {
        const status = response.statusCode ?? 0;
        response.destroy();
        resolve(
          status >= 200 && status < 400
            ? { success: true }
            : { success: false, message: `HTTP probe failed with statuscode: ${status}` },
        );
      },
    );
    secured.on("error", reject);
    request.on("error", reject);
    request.setTimeout(limit, () =>
      reject(new Error("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")),
    );
    request.end();
  }).finally(() => {
    secured.destroy();
    socket.destroy();
  });
}

/** `grpc.health.v1.Health/Check`: a message of one text, answered by one number, of which 1 is SERVING. */
async function checkHealth(port: number, service: string, target: ProbeTarget): Promise<ProbeOutcome> {
  const socket = await target.connect(target.podIP, port);
  const session = connectHttp2(`http://${target.podIP}:${port}`, { createConnection: () => socket });
  try {
    return await new Promise<ProbeOutcome>((resolve, reject) => {
      session.on("error", reject);
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: "POST",
        [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
        "content-type": "application/grpc",
        te: "trailers",
      });
      const answer: Buffer[] = [];
      let status = "";
      const note = (headers: { readonly [name: string]: unknown }): void => {
        if (headers["grpc-status"] !== undefined) status = String(headers["grpc-status"]);
      };
      stream.on("response", note);
      stream.on("trailers", note);
      stream.on("data", (chunk: Buffer) => answer.push(chunk));
      stream.on("error", reject);
      stream.on("end", () => resolve(healthOutcome(Buffer.concat(answer), status)));
      stream.end(healthRequest(service));
    });
  } finally {
    session.destroy();
    socket.destroy();
  }
}

function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.of(0x0a, name.length), name]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function healthOutcome(answer: Buffer, status: string): ProbeOutcome {
  if (status !== "0" && status !== "")
    return { success: false, message: `gRPC probe failed with status ${status}` };
  const isServing = answer[5] === 0x08 && answer[6] === 1;
  return isServing
    ? { success: true }
    : { success: false, message: 'service unhealthy (responded with "NOT_SERVING")' };
}
