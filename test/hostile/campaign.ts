// A campaign: requests one after the other against one server in this process, and an eye on what they do to it.
import { setTimeout as sleep } from "node:timers/promises";
import type { TransportResponse } from "@kubewright/api";
import { MemoryStorage } from "@kubewright/apiserver";
import { faultOf } from "../robustness/faults.js";
import { memoryInUse } from "../robustness/memory.js";
import { definition, gadget, samples } from "../robustness/samples.js";
import { type Sent, Target } from "../robustness/target.js";
import { LoopMeter } from "./loop-meter.js";
import { requestAt } from "./requests.js";

export interface CampaignOptions {
  readonly seed: number;
  /** The index of the first request. */
  readonly from?: number | undefined;
  readonly requests: number;
  /** How often a body is as large as can be. */
  readonly largeShare: number;
  /** Milliseconds one stretch of work may take. */
  readonly longest: number;
  /** Is told now and then how far it is. */
  readonly progress?: ((state: Progress) => void) | undefined;
  /** Is told of each problem at once. */
  readonly onProblem?: ((problem: Problem) => void) | undefined;
}

export interface Progress {
  readonly done: number;
  readonly megabytes: number;
}

/** Something a server must not do. */
export interface Problem {
  readonly index: number;
  readonly what: "fault" | "block" | "uncaught" | "growth" | "lost";
  readonly detail: string;
  readonly sent?: Sent | undefined;
}

export interface CampaignReport {
  readonly problems: readonly Problem[];
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What answers beyond 499 said, and how often. */
  readonly failures: ReadonlyMap<string, number>;
  /** The longest stretch of work, and which request took it. */
  readonly longest: { readonly milliseconds: number; readonly index: number };
  /** Stretches beyond the limit that did not come again when the request did: the garbage of others, mostly. */
  readonly passing: number;
  readonly megabytes: readonly number[];
}

/** After so many requests what they left behind is deleted, and after so many more memory is looked at. */
const cleanEvery = 5_000;
const weighEvery = 25_000;
/** What the heap may grow by between the first weighing and the last. */
const allowedGrowth = 24;

export class Campaign {
  readonly #options: CampaignOptions;
  readonly #meter = new LoopMeter();
  readonly #problems: Problem[] = [];
  readonly #statuses = new Map<number, number>();
  readonly #failures = new Map<string, number>();
  readonly #megabytes: number[] = [];
  /** Changes are soon forgotten, so that what grows is what should not. */
  readonly #target = new Target({
    storage: new MemoryStorage({ history: { changes: 500, bytes: 2 ** 20, age: 600_000 } }),
  });
  #longest = { milliseconds: 0, index: -1 };
  #passing = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async run(): Promise<CampaignReport> {
    await this.#prepare();
    this.#meter.start();
    const { from = 0, requests } = this.#options;
    for (let index = from; index < from + requests; index++) {
      await this.#one(index);
      if ((index + 1) % cleanEvery === 0) await this.#clean(index);
      if ((index + 1) % weighEvery === 0) await this.#weigh(index + 1 - from);
    }
    this.#meter.stop();
    await this.#finish(from + requests);
    return {
      problems: this.#problems,
      statuses: this.#statuses,
      failures: this.#failures,
      longest: this.#longest,
      passing: this.#passing,
      megabytes: this.#megabytes,
    };
  }

  #report(problem: Problem): void {
    this.#problems.push(problem);
    this.#options.onProblem?.(problem);
  }

  async #prepare(): Promise<void> {
    await this.#target.must({ method: "POST", path: definition.path, object: definition.object });
    for (let attempt = 0; attempt < 500; attempt++) {
      if ((await this.#target.send({ method: "GET", path: gadget.path })).status === 200) break;
      await sleep(10);
    }
    await this.#seed();
  }

  async #seed(): Promise<void> {
    for (const { path, object } of samples) await this.#target.send({ method: "POST", path, object });
  }

  async #one(index: number): Promise<void> {
    const sent = requestAt(this.#options.seed, index, this.#options);
    const { milliseconds, status } = await this.#measured(sent, index);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (milliseconds > this.#longest.milliseconds) this.#longest = { milliseconds, index };
    if (milliseconds <= this.#options.longest) return;
    // Once more: what comes back is the request's own doing.
    await this.#measured(
      { ...sent, method: "DELETE", path: placeOf(sent), bytes: "{}", type: "application/json" },
      index,
    );
    const again = await this.#measured(sent, index);
    if (again.milliseconds <= this.#options.longest) this.#passing++;
    else {
      const times = `${milliseconds.toFixed(0)} ms, then ${again.milliseconds.toFixed(0)} ms`;
      this.#report({ index, what: "block", detail: times, sent });
    }
  }

  async #measured(sent: Sent, index: number): Promise<{ milliseconds: number; status: number }> {
    await nextRound();
    this.#meter.take();
    const response = await this.#target.send(sent);
    await consume(response);
    const milliseconds = this.#meter.take();
    if (response.status >= 500) this.#count(response);
    const fault = faultOf(response);
    if (fault !== undefined) this.#report({ index, what: "fault", detail: String(fault), sent });
    return { milliseconds, status: response.status };
  }

  #count({ status, body }: TransportResponse): void {
    const text = body.kind === "object" ? JSON.stringify(body.value) : body.kind;
    const message = `${status} ${/"message":"(.{0,80})/.exec(text)?.[1] ?? text}`;
    this.#failures.set(message, (this.#failures.get(message) ?? 0) + 1);
  }

  /** Everything goes, and what there was at the beginning comes back. Whatever was stored can still be shown. */
  async #clean(index: number): Promise<void> {
    for (const { path } of samples) {
      for (const accept of [
        "application/json",
        "application/yaml",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
      ]) {
        const { status } = await this.#target.send({ method: "GET", path, headers: { accept } });
        if (status !== 200)
          this.#report({ index, what: "lost", detail: `GET ${path} as ${accept}: ${status}` });
      }
    }
    for (const { path } of samples.toReversed()) {
      if (path === definition.path) continue;
      await this.#target.send({ method: "DELETE", path, query: "gracePeriodSeconds=0" });
    }
    await this.#seed();
    await this.#uncaught(index);
  }

  async #weigh(done: number): Promise<void> {
    const megabytes = Math.round((await memoryInUse()) / 2 ** 20);
    this.#megabytes.push(megabytes);
    this.#options.progress?.({ done, megabytes });
  }

  async #finish(index: number): Promise<void> {
    await this.#uncaught(index);
    if (({} as { polluted?: unknown }).polluted !== undefined)
      this.#report({ index, what: "fault", detail: "the prototype of all objects was changed" });
    const [first = 0] = this.#megabytes;
    const last = Math.min(...this.#megabytes.slice(-3));
    if (this.#megabytes.length > 3 && last > first + allowedGrowth)
      this.#report({ index, what: "growth", detail: `${this.#megabytes.join(", ")} MB` });
    this.#target.close();
  }

  async #uncaught(index: number): Promise<void> {
    const all = await this.#target.uncaught();
    for (const error of all) this.#report({ index, what: "uncaught", detail: String(error) });
    if (all.length > 0) throw new Error(`not caught before request ${index}: ${String(all[0])}`);
  }
}

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The object a request is about, as well as can be told. */
const placeOf = ({ method, path }: Sent): string => (method === "POST" ? `${path}/large` : path);

/** Takes what is there of an answer and leaves. */
async function consume({ body }: TransportResponse): Promise<void> {
  if (body.kind !== "events" && body.kind !== "stream") return;
  const parts: AsyncIterator<unknown> = (body.kind === "events" ? body.events : body.chunks)[
    Symbol.asyncIterator
  ]();
  await Promise.race([parts.next(), nextRound()]);
  await parts.return?.();
}
