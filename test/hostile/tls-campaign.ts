// Some of a campaign over TLS: the server in this thread, the clients in another one, so that only the server's work is measured.

import { Agent, request as httpsRequest } from "node:https";
import { fileURLToPath } from "node:url";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { definition, samples } from "../robustness/samples.js";
import { Wire } from "../robustness/target.js";
import type { CampaignOptions, Problem } from "./campaign.js";
import { LoopMeter } from "./loop-meter.js";
import { requestAt } from "./requests.js";

interface Job extends Omit<CampaignOptions, "progress"> {
  readonly port: number;
  readonly authority: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How many clients there are at once. */
const clients = 4;

/** Stretches of the handshakes and garbage of a whole server come on top of those of one request. */
export async function tlsCampaign(
  options: CampaignOptions,
): Promise<{ readonly problems: readonly Problem[]; readonly longest: number }> {
  const wire = await Wire.start();
  await wire.target.must({ method: "POST", path: definition.path, object: definition.object });
  for (const { path, object } of samples) await wire.target.send({ method: "POST", path, object });
  const meter = new LoopMeter();
  meter.start();
  const { progress: _progress, ...plain } = options;
  const job: Job = { ...plain, ...wire.access };
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: job, argv: [] });
  const problems = await new Promise<readonly Problem[]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  const longest = meter.take();
  meter.stop();
  const uncaught = (await wire.target.uncaught()).map(
    (error): Problem => ({ index: -1, what: "uncaught", detail: String(error) }),
  );
  await worker.terminate();
  await wire.close();
  return { problems: [...problems, ...uncaught], longest };
}

/** The other thread: sends what the job says and tells what went wrong. */
export async function serveOverTls(): Promise<void> {
  const job: Job = workerData;
  const agent = new Agent({ ca: job.authority, keepAlive: true, maxSockets: clients });
  const problems: Problem[] = [];
  let next = job.from ?? 0;
  const end = next + job.requests;
  const client = async (): Promise<void> => {
    while (next < end) {
      const index = next++;
      const fault = await send(job, agent, index);
      if (fault) problems.push({ index, what: "fault", detail: `over TLS: ${fault}` });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  parentPort?.postMessage(problems);
}

/** What is wrong with the answer; undefined when nothing is. Clients may leave before they have all of it. */
function send(job: Job, agent: Agent, index: number): Promise<string | undefined> {
  const { method, path, query, type, headers, bytes, object } = requestAt(job.seed, index, job);
  const body = bytes ?? (object === undefined ? undefined : JSON.stringify(object));
  return new Promise((resolve) => {
    try {
      const sent = httpsRequest({
        host: "127.0.0.1",
        port: job.port,
        agent,
        method,
        path: `${path}${query ? `?${String(query)}` : ""}`,
        headers: { "content-type": type ?? "application/json", ...headers, ...job.headers },
      });
      sent.on("error", () => resolve(undefined));
      sent.on("response", (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", () => resolve(undefined));
        answer.on("close", () => {
          const text = Buffer.concat(chunks).toString();
          resolve(
            (answer.statusCode ?? 0) >= 500 && text.includes('"InternalError"')
              ? text.slice(0, 500)
              : undefined,
          );
        });
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
