// The part of a campaign that goes over TLS: the server in this thread, its clients in another one.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Wire } from "../robustness/target.js";
import type { CampaignOptions, Problem } from "./campaign.js";
import { WatchedStorage } from "./housekeeping.js";
import { Longest } from "./longest.js";
import { Requests } from "./requests.js";
import { Standing } from "./standing.js";
import type { Job, Told } from "./tls-clients.js";

export { serveOverTls } from "./tls-clients.js";

export interface TlsOptions extends CampaignOptions {
  /** How many watches are open all the while. */
  readonly watches?: number | undefined;
}

export interface TlsReport {
  readonly problems: readonly Problem[];
  readonly longest: Longest;
}

/** Sends the requests from several clients at once, some of them raw bytes, while many watches are open. */
export async function tlsCampaign(options: TlsOptions): Promise<TlsReport> {
  const storage = new WatchedStorage();
  const wire = await Wire.start(undefined, { storage });
  await new Standing(wire.target, storage, new Requests(options.seed, options).kinds).make();
  const { progress: _progress, onProblem: _onProblem, ...plain } = options;
  const job: Job = { ...plain, from: options.from ?? 0, watches: options.watches ?? 0, ...wire.access };
  const { problems, longest } = await run(job);
  for (const error of await wire.target.uncaught())
    problems.push({ index: -1, what: "uncaught", detail: `over TLS: ${String(error)}` });
  await wire.close();
  for (const problem of problems) options.onProblem?.(problem);
  return { problems, longest };
}

/** Runs the clients until all requests were sent. */
async function run(job: Job): Promise<{ problems: Problem[]; longest: Longest }> {
  const problems: Problem[] = [];
  const longest = new Longest();
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: job, argv: [] });
  await new Promise<void>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", (told: Told) => {
      if (told.kind === "problem") problems.push(told.problem);
      else {
        for (const timed of told.longest) longest.add(timed);
        resolve();
      }
    });
  });
  await worker.terminate();
  return { problems, longest };
}
