// Some of a campaign over TLS: the server in this thread, its clients in another one.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Wire } from "../robustness/target.js";
import type { CampaignOptions, Problem } from "./campaign.js";
import { WatchedStorage } from "./housekeeping.js";
import { type Happenings, LoopDiary, wordsFor } from "./loop-diary.js";
import { type Blame, LoopMeter, type Stretch } from "./loop-meter.js";
import { Pace } from "./pace.js";
import { Requests } from "./requests.js";
import { Standing } from "./standing.js";
import type { Job, Told } from "./tls-clients.js";

export { serveOverTls } from "./tls-clients.js";

export interface TlsOptions extends CampaignOptions {
  /** How many watch all the while. */
  readonly watches?: number | undefined;
}

export interface TlsReport {
  readonly problems: readonly Problem[];
  /** The longest stretch without garbage, of one request or of several at once. */
  readonly longest: number;
  /** The longest ones, and what happened in them. */
  readonly stretches: readonly string[];
  /** Those that were too long and did not come again with the same requests; nothing is known that they were. */
  readonly once: readonly string[];
  readonly statuses: ReadonlyMap<number, number>;
}

/** A stretch that was long, and what happened in it. */
interface Suspicion {
  readonly stretch: Stretch;
  readonly slowness: number;
  readonly happened: Happenings;
}

interface Judged extends Suspicion {
  readonly blame: Blame;
  /** What neither garbage nor handshakes nor a slow machine account for. */
  readonly rest: number;
}

/** Milliseconds for one step of a handshake, which is Node's and OpenSSL's: more than it takes. */
const handshakeStep = 1;
/** How many of the longest are told of. */
const toldOf = 10;

/**
 * Stretches of several clients, of handshakes and of garbage add up. What garbage and handshakes do not account for is looked at again: a
 * request that takes too long alone is a problem, and so are requests that do together. What came only once is told.
 */
export async function tlsCampaign(options: TlsOptions): Promise<TlsReport> {
  const storage = new WatchedStorage();
  const wire = await Wire.start(undefined, { storage });
  await new Standing(wire.target, storage, new Requests(options.seed, options).kinds).make();
  const diary = new LoopDiary(wire.target.server, storage);
  const pace = new Pace();
  const suspicions: Suspicion[] = [];
  let isMeasured = true;
  const meter = new LoopMeter((stretch) => {
    const happened = diary.take();
    if (isMeasured && stretch.cpu > options.longest / 3)
      suspicions.push({ stretch, happened, slowness: pace.slowness() });
  });
  const { progress: _progress, onProblem: _onProblem, ...plain } = options;
  const job: Job = { ...plain, from: options.from ?? 0, watches: options.watches ?? 0, ...wire.access };
  // Starting a thread takes a while, and is not the server's work.
  const clients = new Clients(job);
  meter.start();
  const statuses = await clients.done();
  isMeasured = false;
  const judged = await judge(suspicions, meter);
  const once = await blameRequests(judged, { clients, meter, options });
  meter.stop();
  diary.close();
  for (const error of await wire.target.uncaught())
    clients.problems.push({ index: -1, what: "uncaught", detail: `over TLS: ${String(error)}` });
  await clients.close();
  await wire.close();
  for (const problem of clients.problems) options.onProblem?.(problem);
  return {
    problems: clients.problems,
    longest: judged[0]?.blame.own ?? 0,
    stretches: judged.slice(0, toldOf).map(wordsOf),
    once,
    statuses,
  };
}

/** Those that took longest first. */
async function judge(suspicions: readonly Suspicion[], meter: LoopMeter): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const suspicion of suspicions) {
    const blame = await meter.blame(suspicion.stretch);
    const rest = (blame.own - suspicion.happened.handshakes * handshakeStep) / suspicion.slowness;
    judged.push({ ...suspicion, blame, rest });
  }
  return judged.sort((left, right) => right.blame.own - left.blame.own);
}

const wordsOf = ({ blame, slowness, happened }: Judged): string =>
  `${blame.own.toFixed(0)} ms and ${blame.garbage.toFixed(0)} ms of garbage, speed 1/${slowness.toFixed(2)}: ${wordsFor(happened)}`;

/** Finds the requests whose doing a stretch was, or that all of them together make one. Returns those that came once, in words. */
async function blameRequests(judged: readonly Judged[], means: Means): Promise<readonly string[]> {
  const { clients, options } = means;
  const once: string[] = [];
  const known = new Map<string, string | undefined>();
  const again = async (indexes: readonly number[]): Promise<string | undefined> => {
    const key = indexes.join();
    if (!known.has(key)) known.set(key, await repeated(indexes, means));
    return known.get(key);
  };
  for (const one of judged.filter(({ rest }) => rest > options.longest)) {
    const { indexes } = one.happened;
    const together = await again(indexes);
    let isFound = false;
    for (const index of indexes) {
      const alone = await again([index]);
      if (alone === undefined) continue;
      isFound = true;
      const detail = `over TLS (--seed ${options.seed}), alone: ${alone} ms`;
      clients.problems.push({ index, what: "block", detail });
    }
    if (isFound) continue;
    if (together === undefined) once.push(wordsOf(one));
    else {
      const detail = `over TLS (--seed ${options.seed}), with others: ${together} ms; ${wordsOf(one)}`;
      clients.problems.push({ index: indexes[0] ?? -1, what: "block", detail });
    }
  }
  return once;
}

interface Means {
  readonly clients: Clients;
  readonly meter: LoopMeter;
  readonly options: TlsOptions;
}

/** What requests take that are sent again at the same time, the watches being open; undefined where that is not too long. */
async function repeated(
  indexes: readonly number[],
  { clients, meter, options: { longest } }: Means,
): Promise<string | undefined> {
  const owns: number[] = [];
  for (let round = 0; round < 3; round++) {
    meter.take();
    await clients.again(indexes);
    owns.push((await meter.blame(meter.take())).own);
  }
  // Once is a garbage collection that was not told apart, or code that was compiled; twice is the requests.
  if (owns.filter((own) => own > longest).length < 2) return undefined;
  return owns.map((own) => own.toFixed(0)).join(", ");
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

  /** Resolves when they were sent, all together, and answered. */
  async again(indexes: readonly number[]): Promise<void> {
    const told = this.#told("again");
    this.#worker.postMessage(indexes);
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
