// Probes of ports: HTTP, TCP and gRPC, over a connection that somebody else makes.
import { request as httpRequest } from "node:http";
import { connect as connectTls } from "node:tls";
import type { Container, HTTPGetAction, IntOrString, Probe } from "@kubewright/api";
import type { ProbeOutcome } from "../container-runtime.js";
import { checkHealth } from "./grpc-health.js";
import { type Connect, ConnectError } from "./node-network.js";

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
        ? checkHealth(probe.grpc, target, limit)
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

/** Sends a GET; a status from 200 to 399 is a success. */
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
