// npm run fuzz -- --requests 1000000 [--seed N] [--from N] [--large 0.001] [--longest 50] [--tls 0.02]
import { parseArgs } from "node:util";
import { isMainThread } from "node:worker_threads";
import { Campaign, type Problem } from "./campaign.js";
import { serveOverTls, tlsCampaign } from "./tls-campaign.js";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    large: { type: "string", default: "0.001" },
    longest: { type: "string", default: "50" },
    tls: { type: "string", default: "0.02" },
  },
});

const seed = Number(values.seed);
const from = Number(values.from);
const longest = Number(values.longest);
const largeShare = Number(values.large);
const overTls = Math.round(Number(values.requests) * Number(values.tls));
const requests = Number(values.requests) - overTls;

function tell({ index, what, detail, sent }: Problem): void {
  console.error(`\n${what} at request ${index} (--seed ${seed} --from ${index} --requests 1): ${detail}`);
  if (!sent) return;
  const body =
    sent.bytes === undefined ? JSON.stringify(sent.object) : Buffer.from(sent.bytes).toString("latin1");
  console.error(
    `  ${sent.method} ${sent.path}?${String(sent.query ?? "")} ${sent.type ?? ""} ${JSON.stringify(sent.headers ?? {})}`,
  );
  console.error(
    `  ${body?.slice(0, 600) ?? ""}${(body?.length ?? 0) > 600 ? ` … ${body?.length} characters` : ""}`,
  );
}

async function main(): Promise<void> {
  const started = process.cpuUsage();
  const campaign = new Campaign({
    seed,
    from,
    requests,
    largeShare,
    longest,
    onProblem: tell,
    progress: ({ done, megabytes }) => console.log(`${done} requests, ${megabytes} MB in use`),
  });
  const report = await campaign.run();
  const tls =
    overTls > 0
      ? await tlsCampaign({ seed: seed + 1, from, requests: overTls, largeShare, longest })
      : undefined;
  const problems = [...report.problems, ...(tls?.problems ?? [])];
  for (const problem of tls?.problems ?? []) tell(problem);
  const { user, system } = process.cpuUsage(started);
  console.log(
    `\n${requests} requests in process and ${overTls} over TLS, seed ${seed}, ${((user + system) / 1e6).toFixed(0)} s of CPU`,
  );
  console.log(
    `answers: ${[...report.statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status} × ${count}`)
      .join(", ")}`,
  );
  console.log(
    `longest stretch: ${report.longest.milliseconds.toFixed(1)} ms (request ${report.longest.index}); over TLS ${tls?.longest.toFixed(1) ?? "-"} ms`,
  );
  console.log(
    `longer than ${longest} ms once and not again: ${report.passing}; memory: ${report.megabytes.join(", ")} MB`,
  );
  console.log(`problems: ${problems.length}`);
  for (const [message, count] of [...report.failures].sort((a, b) => b[1] - a[1]).slice(0, 15))
    console.log(`  ${count} × ${message}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (isMainThread) await main();
else await serveOverTls();
