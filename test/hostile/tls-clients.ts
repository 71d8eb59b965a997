// The clients of a campaign over TLS, in a thread of their own.
import { Agent, request as httpsRequest } from "node:https";
import { connect as connectPlain } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";
import type { Problem } from "./campaign.js";
import { Longest, type Timed } from "./longest.js";
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
  /** Milliseconds after which a request counts as hanging. Default: 20 seconds. */
  readonly hangs?: number | undefined;
  /** How many watch while requests are sent; each tenth of them reads nothing. */
  readonly watches: number;
}

/** What the clients report: a problem, or that all were sent. */
export type Told =
  | { readonly kind: "problem"; readonly problem: Problem }
  | { readonly kind: "done"; readonly longest: readonly Timed[] };

/** How many clients there are at once, and each how manyeth request is none a library would send. */
const clients = 4;
const rawEvery = 20;

/** Sends what the job says and reports what went wrong. */
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
  const told: Told = { kind: "done", longest: sender.longest.all };
  parentPort?.postMessage(told);
}

class Sender {
  readonly #job: Job;
  readonly #agent: Agent;
  readonly #made: Requests;
  readonly longest = new Longest();

  constructor(job: Job) {
    this.#job = job;
    this.#made = new Requests(job.seed, job);
    this.#agent = new Agent({ ca: job.authority, keepAlive: true, maxSockets: clients });
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
    const begin = performance.now();
    const detail = index % rawEvery === 0 ? await this.#raw(index) : await this.#request(index);
    const milliseconds = performance.now() - begin;
    this.longest.add({ index, milliseconds, what: "over TLS" });
    if (detail !== undefined) report({ index, what: "fault", detail: `over TLS: ${detail}` });
    if (milliseconds > (this.#job.hangs ?? 20_000))
      report({ index, what: "hang", detail: `over TLS: ${milliseconds.toFixed(0)} ms` });
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
          headers: { "content-type": type ?? "application/json", ...headers, ...this.#job.headers },
        });
        sent.on("error", () => resolve(undefined));
        sent.on("upgrade", (_response, socket) => {
          socket.destroy();
          resolve(undefined);
        });
        sent.on("response", (answer) => {
          const status = answer.statusCode ?? 0;
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

function report(problem: Problem): void {
  const told: Told = { kind: "problem", problem };
  parentPort?.postMessage(told);
}

const faultIn = (status: number, text: string): string | undefined =>
  status >= 500 && text.includes('"InternalError"') && !text.includes("the spec replicas field")
    ? text.slice(0, 500)
    : undefined;
