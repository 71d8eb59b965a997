// npm run fuzz -- --requests 1000000 [--seed N] [--from N] [--minutes N] [--only SORT] [--large 0.001] [--hangs 20000] [--tls 0.02] [--watches 200]
import { parseArgs } from "node:util";
import { isMainThread } from "node:worker_threads";
import { Campaign, type CampaignReport, type Problem } from "./campaign.js";
import { serveOverTls, type TlsReport, tlsCampaign } from "./tls-campaign.js";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    minutes: { type: "string", default: "1000" },
    only: { type: "string" },
    large: { type: "string", default: "0.001" },
    hangs: { type: "string", default: "20000" },
    tls: { type: "string", default: "0.02" },
    watches: { type: "string", default: "200" },
  },
});

const seed = Number(values.seed);
const from = Number(values.from);
const largeShare = Number(values.large);
const overTls = Math.round(Number(values.requests) * Number(values.tls));
const requests = Number(values.requests) - overTls;
const shared = { from, largeShare, hangs: Number(values.hangs), only: values.only };

function tell({ index, what, detail, sent }: Problem): void {
  const only = values.only === undefined ? "" : ` --only ${values.only}`;
  console.error(
    `\n${what} at request ${index} (--seed ${seed} --from ${index} --requests 1 --tls 0${only}): ${detail}`,
  );
  if (!sent) return;
  console.error(
    `  ${sent.method} ${sent.path}?${short(String(sent.query ?? ""))} ${sent.type ?? ""} ${short(JSON.stringify(sent.headers ?? {}))}`,
  );
  const body =
    sent.bytes === undefined ? JSON.stringify(sent.object) : Buffer.from(sent.bytes).toString("latin1");
  if (body !== undefined) console.error(`  ${short(body)}`);
}

const short = (text: string): string =>
  text.length > 400 ? `${JSON.stringify(text.slice(0, 400))} … ${text.length} characters` : text;

function summarise(report: CampaignReport, tls: TlsReport | undefined): void {
  const { tally, longest, levels } = report;
  console.log("\nby sort of request, and by what it tried: how they were answered");
  for (const line of tally.lines()) console.log(`  ${line}`);
  const statuses = [...tally.statuses].sort(([a], [b]) => a - b);
  console.log(`answers: ${statuses.map(([status, count]) => `${status} × ${count}`).join(", ")}`);
  for (const [message, count] of [...report.failures].sort((a, b) => b[1] - a[1]).slice(0, 15))
    console.log(`  ${count} × ${message}`);
  console.log("the requests that took longest, in process and over TLS (which includes waiting for others):");
  for (const line of [...longest.lines(), ...(tls?.longest.lines() ?? [])]) console.log(`  ${line}`);
  console.log("held once everything was deleted, after the warm-up and after each phase:");
  for (const { megabytes, objects, listeners, handles } of levels)
    console.log(`  ${megabytes} MB, ${objects} objects, ${listeners} listeners, ${handles} handles`);
}

async function main(): Promise<void> {
  // The campaign has failed until it has ended well: whatever ends the process before, or is thrown here, is a failure.
  process.exitCode = 1;
  const started = process.cpuUsage();
  const begin = performance.now();
  const campaign = new Campaign({
    seed,
    requests,
    ...shared,
    time: Number(values.minutes) * 60_000,
    onProblem: tell,
    progress: ({ done, level }) =>
      console.log(
        `${done} requests, ${((performance.now() - begin) / 1000).toFixed(0)} s${level ? `, ${level.megabytes} MB held` : ""}`,
      ),
  });
  const report = await campaign.run();
  const tls =
    overTls > 0
      ? await tlsCampaign({
          seed: seed + 1,
          requests: overTls,
          watches: Number(values.watches),
          ...shared,
          onProblem: tell,
        })
      : undefined;
  const { user, system } = process.cpuUsage(started);
  summarise(report, tls);
  const problems = [...report.problems, ...(tls?.problems ?? [])];
  console.log(
    `\n${report.done} of ${requests} requests in process and ${overTls} over TLS, seed ${seed}, ${((user + system) / 1e6).toFixed(0)} s of CPU, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
  console.log(`problems: ${problems.length}`);
  process.exitCode = problems.length > 0 || report.done < requests ? 1 : 0;
}

if (isMainThread)
  await main().catch((error: unknown) => {
    console.error("the campaign ended:", error);
    // Its clients and servers may still be at it.
    process.exit(1);
  });
else await serveOverTls();
