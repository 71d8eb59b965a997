// npm run fuzz -- --requests 1000000 [--seed N] [--from N] [--minutes N] [--only SORT] [--large 0.001] [--longest 50] [--tls 0.02] [--watches 200]
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
    longest: { type: "string", default: "50" },
    tls: { type: "string", default: "0.02" },
    watches: { type: "string", default: "200" },
  },
});

const seed = Number(values.seed);
const from = Number(values.from);
const longest = Number(values.longest);
const largeShare = Number(values.large);
const overTls = Math.round(Number(values.requests) * Number(values.tls));
const requests = Number(values.requests) - overTls;
const shared = { from, largeShare, longest, only: values.only };

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
  const { tally, passing, pauses, levels } = report;
  console.log("\nby sort of request, and by what it tried: how they were answered");
  for (const line of tally.lines()) console.log(`  ${line}`);
  const statuses = [...tally.statuses].sort(([a], [b]) => a - b);
  console.log(`answers: ${statuses.map(([status, count]) => `${status} × ${count}`).join(", ")}`);
  for (const [message, count] of [...report.failures].sort((a, b) => b[1] - a[1]).slice(0, 15))
    console.log(`  ${count} × ${message}`);
  console.log(
    `longest stretch without garbage: ${report.longest.milliseconds.toFixed(1)} ms (request ${report.longest.index}); over TLS ${tls?.longest.toFixed(1) ?? "-"} ms`,
  );
  console.log(
    `garbage: ${pauses.count} pauses, ${(pauses.total / 1000).toFixed(1)} s, the longest ${pauses.longest.toFixed(1)} ms`,
  );
  if (tls) console.log("over TLS, the longest stretches without garbage, and what happened in them:");
  for (const line of tls?.stretches ?? []) console.log(`  ${line}`);
  if (tls)
    console.log(
      `over TLS, longer than ${longest} ms once, and of nothing that could be found: ${tls.once.length}`,
    );
  for (const line of tls?.once ?? []) console.log(`  ${line}`);
  console.log(`longer than ${longest} ms by garbage or a slow machine only: ${passing.length}`);
  for (const line of passing.slice(0, 100)) console.log(`  ${line}`);
  console.log("held once everything was deleted, after the warm-up and after each phase:");
  for (const { megabytes, objects, listeners, handles } of levels)
    console.log(`  ${megabytes} MB, ${objects} objects, ${listeners} listeners, ${handles} handles`);
}

async function main(): Promise<void> {
  // Until all is known to be well it is not: whatever ends the process before, or is thrown here, is a failure.
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
