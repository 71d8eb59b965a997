// 10,000 schedules that fire in the same second of every minute: when half of their reconciles, 99 % and all have ended, and
// how much memory the operator's process takes at most. Each timetable scales an object of its own; each CronTab has a Job made,
// which then succeeds, and an old one deleted. The API server, over TLS, has a process of its own; the operator's is set up as
// `runManager` sets it up. COUNT=1000 does less, OPERATOR=crontab only one of the two, ROUNDS=1 one minute; EVERY=4 has them fire
// every fourth minute, where a busy machine needs longer than one for all that follows.
import { fileURLToPath } from "node:url";
import { Client, undiciTransport } from "@kubewright/client";
import { startManager } from "@kubewright/runtime";
import { keepHeapSmall } from "@kubewright/runtime/main";
import { ask, end, next, start, unbundled } from "./operator-suite/processes.mjs";
import { subjects } from "./schedules/subjects.mjs";

const count = Number(process.env.COUNT ?? (process.env.QUICK ? 1_000 : 10_000));
const rounds = Number(process.env.ROUNDS ?? (process.env.QUICK ? 1 : 3));
const every = Number(process.env.EVERY ?? 1);
const second = 30;
/** All have ended before they are due again, with ten seconds to spare. */
const limits = { endedMs: every * 60_000 - 10_000, memoryMb: 200 };
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

if (process.env.BENCH) await operate(JSON.parse(process.env.BENCH));
else {
  const chosen = process.env.OPERATOR ? [process.env.OPERATOR] : Object.keys(subjects);
  for (const name of chosen) await measure(name);
}

async function measure(name) {
  const subject = subjects[name];
  const server = start(unbundled("server"));
  const connection = await next(server);
  const client = connect(connection);
  await subject.install(client);
  await fill(client, subject);
  const stop = subject.accompany?.(client);
  // The first life of the operator looks at everything once; what is measured is the second.
  const here = fileURLToPath(import.meta.url);
  const first = start(here, { ...connection, name });
  await next(first);
  await end(first);
  const operator = start(here, { ...connection, name });
  await next(operator);
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const result = await ask(operator, round);
    results.push(result);
    console.log(`${name}: ${describe(result)}`);
  }
  await end(operator);
  await stop?.();
  await end(server);
  await client.close();
  const isGood = results.every(
    ({ ended, last, rss }) => ended >= count && last < limits.endedMs && rss < limits.memoryMb,
  );
  console.log(`${name}: ${isGood ? "within the limits" : `beyond the limits ${JSON.stringify(limits)}`}`);
  if (!isGood && count === 10_000) process.exitCode = 1;
}

function describe({ ended, median, p99, last, rss, cpu }) {
  const [half, most, all] = [median, p99, last].map((time) => `${time.toFixed(0)} ms`);
  return `${ended} reconciles had ended ${half} (half), ${most} (99 %), ${all} (all) after they were due; ${rss.toFixed(0)} MB at most, ${cpu.toFixed(1)} s of a core`;
}

function connect({ url, ca, token }) {
  return new Client({ transport: undiciTransport({ server: url, ca, token }) });
}

async function fill(client, subject) {
  let index = 0;
  const worker = async () => {
    while (index < count) await subject.create(client, `s-${index++}`, { second, every });
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** The operator's process. Asked, it tells what happened at the next moment at which all is due. */
async function operate({ name, ...connection }) {
  keepHeapSmall();
  const { manager } = subjects[name];
  let ends = [];
  let finished = 0;
  const controllers = manager.controllers.map((controller) => ({
    ...controller,
    async reconcile(object, ctx) {
      const isDue = ctx.reasons.includes("scheduled");
      try {
        return await controller.reconcile(object, ctx);
      } finally {
        finished += 1;
        if (isDue) ends.push(Date.now());
      }
    },
  }));
  const options = {
    client: connect(connection),
    webhooks: false,
    preflight: "off",
    onError: (where, error) => console.error(where, error),
  };
  await startManager({ ...manager, controllers, webhooks: [] }, options);
  let rss = 0;
  setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss() / 1e6);
  }, 50);
  let seen = -1;
  // Until everything was looked at, and the last of it has come to rest.
  while (finished < count || seen !== finished) {
    seen = finished;
    await pause(1_000);
  }
  process.on("message", async () => {
    const period = every * 60_000;
    const due = Math.ceil((Date.now() + 2_000 - second * 1_000) / period) * period + second * 1_000;
    rss = 0;
    while (Date.now() < due - 500) await pause(100);
    ends = [];
    const before = process.cpuUsage();
    while (ends.length < count && Date.now() < due + period - 10_000) await pause(50);
    const { user, system } = process.cpuUsage(before);
    const late = ends.map((time) => time - due).sort((a, b) => a - b);
    const at = (share) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? 0;
    const times = { median: at(0.5), p99: at(0.99), last: at(1) };
    process.send({ ended: late.length, ...times, rss, cpu: (user + system) / 1e6 });
  });
  process.send("ready");
}
