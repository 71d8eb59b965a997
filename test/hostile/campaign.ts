// A fuzz campaign: requests one after the other against one server in this process, watched for faults, crashes and growth. How long a
// request takes is reported; only a request that hangs is a problem.
import type { TransportResponse } from "@kubewright/api";
import { faultOf } from "../robustness/faults.js";
import { type Sent, Target } from "../robustness/target.js";
import { growthOf, type Level, takeLevel } from "./growth.js";
import { Housekeeping, WatchedStorage } from "./housekeeping.js";
import { Longest } from "./longest.js";
import { type RequestOptions, Requests } from "./requests.js";
import { Standing } from "./standing.js";
import { Tally } from "./tally.js";

export interface CampaignOptions extends RequestOptions {
  readonly seed: number;
  /** The index of the first request. */
  readonly from?: number | undefined;
  readonly requests: number;
  /** Milliseconds after which a request counts as hanging. Default: 20 seconds, many times what the largest takes. */
  readonly hangs?: number | undefined;
  /** Milliseconds after which no more requests are sent. */
  readonly time?: number | undefined;
  /** Is told every few seconds how far it is. */
  readonly progress?: ((state: Progress) => void) | undefined;
  /** Is told of each problem at once. */
  readonly onProblem?: ((problem: Problem) => void) | undefined;
}

export interface Progress {
  readonly done: number;
  readonly level: Level | undefined;
}

/** Something a server must not do. */
export interface Problem {
  readonly index: number;
  readonly what: "fault" | "hang" | "uncaught" | "growth" | "lost" | "kept";
  readonly detail: string;
  readonly sent?: Sent | undefined;
}

export interface CampaignReport {
  readonly problems: readonly Problem[];
  readonly done: number;
  readonly tally: Tally;
  /** What answers beyond 499 said, and how often. */
  readonly failures: ReadonlyMap<string, number>;
  /** The requests that took longest. */
  readonly longest: Longest;
  /** How many times a definition others need was deleted by a request, and made again. */
  readonly restored: number;
  /** What was held after the warm-up and after each phase, everything deleted. */
  readonly levels: readonly Level[];
}

/** After so many requests what they left behind is deleted. */
const cleanEvery = 2_500;
/** After so many, objects that were deleted are made again. */
const refillEvery = 100;
/** Levels are taken so many times; the first is what the others are compared with. */
const phases = 10;
const shortestPhase = 10_000;
/** Milliseconds between two reports of progress. */
const reportEvery = 10_000;

export class Campaign {
  readonly #options: CampaignOptions;
  readonly #problems: Problem[] = [];
  readonly #tally = new Tally();
  readonly #failures = new Map<string, number>();
  readonly #levels: Level[] = [];
  /** Changes are soon forgotten, so that what grows is what should not. */
  readonly #storage = new WatchedStorage({ history: { changes: 500, memory: 2 ** 22, age: 600_000 } });
  readonly #target = new Target({ storage: this.#storage });
  readonly #housekeeping = new Housekeeping(this.#target, this.#storage);
  readonly #made: Requests;
  readonly #standing: Standing;
  readonly #longest = new Longest();
  #reported = performance.now();

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#made = new Requests(options.seed, options);
    this.#standing = new Standing(this.#target, this.#storage, this.#made.kinds);
  }

  async run(): Promise<CampaignReport> {
    try {
      return await this.#run();
    } finally {
      this.#target.close();
    }
  }

  async #run(): Promise<CampaignReport> {
    await this.#standing.make();
    const { from = 0 } = this.#options;
    const done = await this.#requests(from);
    await this.#finish(from + done);
    return {
      problems: this.#problems,
      done,
      tally: this.#tally,
      failures: this.#failures,
      longest: this.#longest,
      restored: this.#standing.restored,
      levels: this.#levels,
    };
  }

  /** Sends them and returns how many there was time for. */
  async #requests(from: number): Promise<number> {
    const { requests, time = Number.POSITIVE_INFINITY } = this.#options;
    const deadline = performance.now() + time;
    const phase = Math.max(shortestPhase, Math.ceil(requests / phases / cleanEvery) * cleanEvery);
    for (let done = 1; done <= requests; done++) {
      await this.#one(from + done - 1);
      if (done % cleanEvery === 0) await this.#clean(from + done - 1);
      if (done % phase === 0) await this.#weigh();
      if (done % cleanEvery === 0) await this.#standing.make();
      else if (done % refillEvery === 0) await this.#standing.refill();
      const now = performance.now();
      if (now > this.#reported + reportEvery) {
        this.#reported = now;
        this.#options.progress?.({ done, level: this.#levels.at(-1) });
      }
      if (now > deadline) return done;
    }
    return requests;
  }

  #report(problem: Problem): void {
    this.#options.onProblem?.(problem);
    // Without what was sent, which may be megabytes: it would be taken for growth of the server.
    const { sent: _sent, ...told } = problem;
    this.#problems.push(told);
  }

  async #one(index: number): Promise<void> {
    const { sort, attack, ...sent } = this.#standing.current(this.#made.at(index));
    const begin = performance.now();
    const response = await this.#target.send(sent);
    await consume(response);
    const milliseconds = performance.now() - begin;
    this.#longest.add({ index, milliseconds, what: `${sent.method} ${sent.path}` });
    this.#tally.add(sort, attack, response.status, milliseconds);
    this.#judge(response, milliseconds, index, sent);
    await this.#standing.heed(sent);
  }

  #judge(response: TransportResponse, milliseconds: number, index: number, sent: Sent): void {
    if (response.status >= 500) this.#count(response);
    const fault = faultOf(response);
    if (fault !== undefined) this.#report({ index, what: "fault", detail: String(fault), sent });
    if (milliseconds > (this.#options.hangs ?? 20_000))
      this.#report({ index, what: "hang", detail: `${milliseconds.toFixed(0)} ms`, sent });
  }

  #count({ status, body }: TransportResponse): void {
    const text = body.kind === "object" ? JSON.stringify(body.value) : body.kind;
    const message = `${status} ${/"message":"(.{0,80})/.exec(text)?.[1] ?? text}`;
    this.#failures.set(message, (this.#failures.get(message) ?? 0) + 1);
  }

  /** Whatever was stored can still be shown, and everything goes. */
  async #clean(index: number): Promise<void> {
    for (const path of this.#standing.collections) {
      for (const accept of shown) {
        const { status } = await this.#target.send({ method: "GET", path, headers: { accept } });
        if (status !== 200)
          this.#report({ index, what: "lost", detail: `GET ${path} as ${accept}: ${status}` });
      }
    }
    for (const kept of await this.#housekeeping.clean())
      this.#report({ index, what: "kept", detail: `${kept} cannot be deleted` });
    await this.#uncaught(index);
  }

  async #weigh(): Promise<void> {
    this.#levels.push(await takeLevel(this.#storage, this.#housekeeping));
  }

  async #finish(index: number): Promise<void> {
    await this.#clean(index);
    if (this.#levels.length > 0) await this.#weigh();
    if (({} as { polluted?: unknown }).polluted !== undefined)
      this.#report({ index, what: "fault", detail: "the prototype of all objects was changed" });
    const growth = growthOf(this.#levels);
    if (growth !== undefined) this.#report({ index, what: "growth", detail: growth });
  }

  async #uncaught(index: number): Promise<void> {
    const all = await this.#target.uncaught();
    for (const error of all) this.#report({ index, what: "uncaught", detail: String(error) });
    if (all.length > 0) throw new Error(`not caught before request ${index}: ${String(all[0])}`);
  }
}

/** How all that is stored is read before it goes. */
const shown = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf,application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
];

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes what is there of an answer and leaves. */
async function consume({ body }: TransportResponse): Promise<void> {
  if (body.kind !== "events" && body.kind !== "stream") return;
  const parts: AsyncIterator<unknown> = (body.kind === "events" ? body.events : body.chunks)[
    Symbol.asyncIterator
  ]();
  await Promise.race([parts.next(), nextRound()]);
  await parts.return?.();
}
