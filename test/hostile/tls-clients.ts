// The clients of a campaign over TLS, in a thread of their own, so that only the server's work is measured.
import { Agent, request as httpsRequest } from "node:https";
import { connect as connectPlain } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "./random.js";
import { rawRequest } from "./raw-requests.js";
import { type RequestOptions, Requests } from "./requests.js";

/** What the clients are told. */
export interface Job extends RequestOptions {
  readonly seed: number;
  readonly from: number;
  readonly requests: number;
  readonly port: number;
  readonly authority: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How many watch while requests are sent; each tenth of them reads nothing. */
  readonly watches: number;
}

/** What the clients tell: what went wrong, that all were sent, or that some were sent again. */
export type Told =
  | { readonly kind: "fault"; readonly index: number; readonly detail: string }
  | { readonly kind: "done" | "again"; readonly statuses: ReadonlyMap<number, number> };

/** The header that says which request this is. */
export const indexHeader = "x-request-index";

/** How many clients there are at once, and each how manyeth request is none a library would send. */
const clients = 4;
const rawEvery = 20;

/** Sends what the job says and tells what went wrong; then, together, those it is asked to send again. */
export async function serveOverTls(): Promise<void> {
  const job: Job = workerData;
  const sender = new Sender(job);
  await sender.watch(job.watches);
  let next = job.from;
  const end = next + job.requests;
  const client = async (): Promise<void> => {
    while (next < end) await sender.send(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
  sender.tell("done");
  parentPort?.on("message", async (indexes: readonly number[]) => {
    await Promise.all(indexes.map((index) => sender.send(index)));
    sender.tell("again");
  });
}

class Sender {
  readonly #job: Job;
  readonly #agent: Agent;
  readonly #made: Requests;
  readonly #statuses = new Map<number, number>();

  constructor(job: Job) {
    this.#job = job;
    this.#made = new Requests(job.seed, job);
    this.#agent = new Agent({ ca: job.authority, keepAlive: true, maxSockets: clients });
  }

  tell(kind: "done" | "again"): void {
    const told: Told = { kind, statuses: this.#statuses };
    parentPort?.postMessage(told);
  }

  /** Opens watches, one after the other, that go on to the end. */
  async watch(count: number): Promise<void> {
    const agent = new Agent({ ca: this.#job.authority, keepAlive: true });
    for (let index = 0; index < count; index++) await this.#watch(index, agent);
  }

  #watch(index: number, agent: Agent): Promise<void> {
    const { port, headers } = this.#job;
    const path = `/api/v1/namespaces/default/${index % 2 === 0 ? "configmaps" : "pods"}?watch=true`;
    return new Promise((resolve) => {
      const sent = httpsRequest({ host: "127.0.0.1", port, agent, path, headers });
      sent.on("error", () => resolve());
      sent.on("response", (answer) => {
        answer.on("error", () => undefined);
        if (index % 10 > 0) answer.resume();
        resolve();
      });
      sent.end();
    });
  }

  async send(index: number): Promise<void> {
    const detail = index % rawEvery === 0 ? await this.#raw(index) : await this.#request(index);
    if (detail === undefined) return;
    const told: Told = { kind: "fault", index, detail };
    parentPort?.postMessage(told);
  }

  /** What is wrong with the answer; undefined when nothing is. Clients may leave before they have all of it. */
  #request(index: number): Promise<string | undefined> {
    const { method, path, query, type, headers, bytes, object } = this.#made.at(index);
    const body = bytes ?? (object === undefined ? undefined : JSON.stringify(object));
    return new Promise((resolve) => {
      try {
        const sent = httpsRequest({
          host: "127.0.0.1",
          port: this.#job.port,
          agent: this.#agent,
          method,
          path: `${path}${query ? `?${String(query)}` : ""}`,
          headers: {
            "content-type": type ?? "application/json",
            ...headers,
            ...this.#job.headers,
            [indexHeader]: index,
          },
        });
        sent.on("error", () => resolve(undefined));
        sent.on("upgrade", (_response, socket) => {
          socket.destroy();
          resolve(undefined);
        });
        sent.on("response", (answer) => {
          const status = answer.statusCode ?? 0;
          this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", () => resolve(undefined));
          answer.on("close", () => resolve(faultIn(status, Buffer.concat(chunks).toString())));
          // Watches end when their client goes.
          if (String(query).includes("watch=")) setTimeout(() => answer.destroy(), 20);
        });
        sent.end(body);
      } catch {
        // Node refuses to send some headers and paths.
        resolve(undefined);
      }
    });
  }

  #raw(index: number): Promise<string | undefined> {
    const { parts, leave, pause } = rawRequest(
      Random.of(this.#job.seed, index),
      this.#job.headers["authorization"] ?? "",
    );
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const plain = connectPlain({ host: "127.0.0.1", port: this.#job.port, allowHalfOpen: true });
      plain.on("error", () => resolve(undefined));
      const socket = connect({ socket: plain, host: "127.0.0.1", ca: this.#job.authority });
      if (leave !== "deaf") socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", () => undefined);
      socket.on("close", () => {
        const text = Buffer.concat(chunks).toString("latin1");
        resolve(faultIn(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text));
      });
      socket.on("secureConnect", async () => {
        for (const part of parts) {
          socket.write(part);
          if (pause > 0) await sleep(pause);
        }
        if (leave === "end") socket.end();
        setTimeout(() => socket.destroy(), leave === "destroy" ? 0 : 30);
      });
    });
  }
}

const faultIn = (status: number, text: string): string | undefined =>
  status >= 500 && text.includes('"InternalError"') && !text.includes("the spec replicas field")
    ? text.slice(0, 500)
    : undefined;
