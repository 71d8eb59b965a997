// What a process that follows the objects does when it is told to, whichever library it follows them with.
import { many } from "./many.mjs";

/**
 * Serves the one who measures. `subject` has
 * - sync(onUpdate): resolves when every object is cached; from then on each change is told with its resource version
 * - count(): how many are cached
 * - patch(index, patch): merges a patch into an object, and resolves when it was answered
 * - children(count): creates so many ConfigMaps
 * - drop(): lets go of the cache
 * - and what only one of them can do, under names of its own
 */
export async function follow(subject) {
  let onUpdate = () => undefined;
  await subject.sync((version) => onUpdate(version));
  const { user, system } = process.cpuUsage();
  process.send({
    count: subject.count(),
    cpu: (user + system) / 1000,
    rss: process.memoryUsage().rss,
    maxRss: process.resourceUsage().maxRSS * 1024,
  });

  const until = (count) =>
    new Promise((resolve) => {
      let seen = 0;
      onUpdate = () => {
        if (++seen === count) resolve();
      };
    });

  const steps = {
    /** Others change objects: what it costs to see it. */
    async updates({ count }) {
      const seen = until(count);
      const cost = await costs(async () => {
        process.send("ready");
        await seen;
      });
      process.send(cost);
    },
    /** Changes objects itself, one after the other, and sees it. */
    async patches({ count }) {
      const seen = until(count);
      const cost = await costs(async () => {
        await many(count, 1, (index) => subject.patch(index, { spec: { size: index + Math.random() } }));
        await seen;
      });
      process.send(cost);
    },
    async children({ count }) {
      process.send(await costs(() => subject.children(count)));
    },
    /** Notes when it hears of which version, until told to stop. */
    async latency() {
      const heard = [];
      onUpdate = (version) => heard.push([version, Number(process.hrtime.bigint())]);
      process.send("ready");
      await message();
      process.send(heard);
    },
    async heap() {
      const objects = subject.count();
      const full = await heap();
      await subject.drop();
      process.send((full - (await heap())) / objects);
    },
  };
  for (;;) {
    const { step, ...options } = await message();
    const run = steps[step];
    if (run) await run(options);
    else process.send((await subject[step]?.(options)) ?? "none");
  }
}

async function costs(work) {
  globalThis.gc();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const time = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { time, cpu: (user + system) / 1000 };
}

async function heap() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let round = 0; round < 3; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function message() {
  return new Promise((resolve) => process.once("message", resolve));
}
