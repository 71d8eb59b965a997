// Clients that ask for a long list and read a kilobyte a second, and what others notice of them.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import type { KillableServer } from "../durability/killable-server.js";

/** Headers by which a list is asked for in one of its forms. */
export const forms = {
  JSON: "Accept: application/json",
  "JSON, compressed": "Accept: application/json\r\nAccept-Encoding: gzip",
  protobuf: "Accept: application/vnd.kubernetes.protobuf",
  "a Table": "Accept: application/json;as=Table;v=v1;g=meta.k8s.io",
  YAML: "Accept: application/yaml",
} as const;

export type Form = keyof typeof forms;

/** What others noticed. Times in milliseconds, memory in bytes. */
export interface Noticed {
  readonly p99Before: number;
  readonly p99: number;
  readonly longest: number;
  readonly memoryBefore: number;
  readonly memory: number;
  /** Readers that had the beginning of an answer. */
  readonly answered: number;
}

const namespace = "/api/v1/namespaces/default";

/** A pod of about two kilobytes. */
const podOf = (index: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `pod-${index}`,
    labels: { app: `app-${index % 100}`, index: String(index) },
    annotations: { note: `${index} ${"x".repeat(600)}` },
  },
  spec: {
    containers: Array.from({ length: 3 }, (_, container) => ({
      name: `c-${container}`,
      image: "registry.example/app:1",
      env: [{ name: "INDEX", value: String(index) }],
    })),
  },
});

/** Creates pods, many at a time. */
export async function createPods(server: KillableServer, count: number): Promise<void> {
  await (await server.send("POST", `${namespace}/serviceaccounts`, serviceAccount)).body.dump();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const { statusCode, body } = await server.send("POST", `${namespace}/pods`, podOf(next++));
      const text = await body.text();
      if (statusCode !== 201) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: 24 }, worker));
}

const serviceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };

/** Lets readers ask all at once, and others get a small object meanwhile. */
export async function readSlowly(
  server: KillableServer,
  { readers, form, seconds }: { readonly readers: number; readonly form: Form; readonly seconds: number },
): Promise<Noticed> {
  const before = await probe(server, (seconds * 1_000) / 5);
  const memoryBefore = memoryOf(server.pid);
  const sockets = await Promise.all(Array.from({ length: readers }, () => dial(server)));
  const request = `GET ${namespace}/pods HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token\r\n${forms[form]}\r\n\r\n`;
  let answered = 0;
  const timers = sockets.map((socket) => {
    let hasRead = false;
    socket.write(request);
    return setInterval(() => {
      const chunk: Buffer | null = socket.read(1_024) ?? socket.read();
      if (!chunk || hasRead) return;
      hasRead = true;
      answered += String(chunk).startsWith("HTTP/1.1 200") ? 1 : 0;
    }, 1_000);
  });
  let memory = 0;
  const watcher = setInterval(() => (memory = Math.max(memory, memoryOf(server.pid))), 100);
  try {
    const during = await probe(server, seconds * 1_000);
    return {
      p99Before: percentile(before, 0.99),
      p99: percentile(during, 0.99),
      longest: percentile(during, 1),
      memoryBefore,
      memory,
      answered,
    };
  } finally {
    clearInterval(watcher);
    for (const timer of timers) clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  }
}

function dial(server: KillableServer): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.hello.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: server.hello.authority }, () =>
      resolve(socket),
    );
    socket.on("error", reject);
  });
}

/** Gets a small object over and over; resolves to how long each took. */
async function probe(server: KillableServer, milliseconds: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (const began = performance.now(); performance.now() - began < milliseconds; ) {
    const sent = performance.now();
    const { body } = await server.send("GET", namespace);
    await body.dump();
    took.push(performance.now() - sent);
    await sleep(10);
  }
  return took;
}

const percentile = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

/** Resident memory in bytes. */
export function memoryOf(pid: number): number {
  const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return Number(pages) * 4096;
}
