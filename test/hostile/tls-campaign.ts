// Some of a campaign over TLS: the server in this thread, its clients in another one.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Wire } from "../robustness/target.js";
import type { CampaignOptions, Problem } from "./campaign.js";
import { WatchedStorage } from "./housekeeping.js";
import { LoopMeter, type Stretch } from "./loop-meter.js";
import { Requests } from "./requests.js";
import { Standing } from "./standing.js";
import { indexHeader, type Job, type Told } from "./tls-clients.js";

export { serveOverTls } from "./tls-clients.js";

export interface TlsOptions extends CampaignOptions {
  /** How many watch all the while. */
  readonly watches?: number | undefined;
}

export interface TlsReport {
  readonly problems: readonly Problem[];
  /** The longest stretch, of one request or of several at once. */
  readonly longest: number;
  readonly statuses: ReadonlyMap<number, number>;
}

/** A stretch that was too long, and whose it may be. */
interface Suspicion {
  readonly stretch: Stretch;
  readonly indexes: readonly number[];
}

/** Stretches of several clients, of handshakes and of garbage add up: what one request takes is found out by sending it again, alone. */
export async function tlsCampaign(options: TlsOptions): Promise<TlsReport> {
  const storage = new WatchedStorage();
  const wire = await Wire.start(undefined, { storage });
  await new Standing(wire.target, storage, new Requests(options.seed, options).kinds).make();
  const requests = new RequestWatch(wire);
  const suspicions: Suspicion[] = [];
  const meter = new LoopMeter((stretch) => {
    const indexes = requests.take();
    if (stretch.cpu > options.longest) suspicions.push({ stretch, indexes });
  });
  meter.start();
  const { progress: _progress, onProblem: _onProblem, ...plain } = options;
  const job: Job = { ...plain, from: options.from ?? 0, watches: options.watches ?? 0, ...wire.access };
  const clients = new Clients(job);
  const statuses = await clients.done();
  const longest = meter.take().cpu;
  for (const index of new Set(suspicions.flatMap(({ indexes }) => indexes))) {
    const owns: number[] = [];
    for (let round = 0; round < 3; round++) {
      meter.take();
      await clients.again(index);
      owns.push((await meter.blame(meter.take())).own);
    }
    // Once is a garbage collection that was not told apart, or code that was compiled; twice is the request.
    if (owns.filter((own) => own > options.longest).length > 1) {
      const detail = `over TLS (--seed ${options.seed}), alone: ${owns.map((own) => own.toFixed(0)).join(", ")} ms`;
      clients.problems.push({ index, what: "block", detail });
    }
  }
  meter.stop();
  for (const error of await wire.target.uncaught())
    clients.problems.push({ index: -1, what: "uncaught", detail: `over TLS: ${String(error)}` });
  await clients.close();
  await wire.close();
  for (const problem of clients.problems) options.onProblem?.(problem);
  return { problems: clients.problems, longest, statuses };
}

/** Which requests the server worked on since it was last asked. */
class RequestWatch {
  readonly #open = new Set<number>();
  readonly #over: number[] = [];

  constructor({ target: { server } }: Wire) {
    const handle = server.handle.bind(server);
    server.handle = async (request, peer) => {
      const index = Number(request.headers?.[indexHeader] ?? Number.NaN);
      if (Number.isNaN(index)) return handle(request, peer);
      this.#open.add(index);
      try {
        return await handle(request, peer);
      } finally {
        this.#open.delete(index);
        this.#over.push(index);
      }
    };
  }

  take(): readonly number[] {
    if (this.#over.length === 0 && this.#open.size === 0) return [];
    const indexes = [...this.#over, ...this.#open];
    // What was answered last is still being sent.
    this.#over.splice(0, this.#over.length - 2);
    return indexes;
  }
}

class Clients {
  readonly problems: Problem[] = [];
  readonly #worker: Worker;

  constructor(job: Job) {
    this.#worker = new Worker(fileURLToPath(import.meta.url), { workerData: job, argv: [] });
    this.#worker.on("message", (told: Told) => {
      if (told.kind === "fault")
        this.problems.push({ index: told.index, what: "fault", detail: `over TLS: ${told.detail}` });
    });
  }

  /** Resolves when all were sent. */
  done(): Promise<ReadonlyMap<number, number>> {
    return this.#told("done");
  }

  async again(index: number): Promise<void> {
    const told = this.#told("again");
    this.#worker.postMessage(index);
    await told;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #told(kind: "done" | "again"): Promise<ReadonlyMap<number, number>> {
    return new Promise((resolve, reject) => {
      const listen = (told: Told): void => {
        if (told.kind !== kind) return;
        this.#worker.off("message", listen);
        this.#worker.off("error", reject);
        resolve(told.statuses);
      };
      this.#worker.on("message", listen);
      this.#worker.on("error", reject);
    });
  }
}
