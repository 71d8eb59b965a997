// What the work queue costs per key, and what it keeps: millions of keys through it, one after the other and in floods.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { byNamespace, systemClock, WorkQueue } = await load(`
  export { systemClock } from "./packages/api/src/clock.ts";
  export { byNamespace, WorkQueue } from "./packages/runtime/src/queue/work-queue.ts";
`);

const million = 1_000_000;
const keys = Array.from({ length: million }, (_, index) => `namespace-${index % 100}/object-${index}`);

await measure("fill with 1,000,000 keys, then drain", million, async () => {
  const queue = new WorkQueue({ clock: systemClock });
  for (const key of keys) queue.add(key, { priority: "background", reason: "added" });
  await drain(queue);
});
await measure("the same, fair between 100 namespaces", million, async () => {
  const queue = new WorkQueue({ clock: systemClock, fairBy: byNamespace });
  for (const key of keys) queue.add(key, { priority: "background", reason: "added" });
  await drain(queue);
});
await measure("add, take, done one key at a time", million, async () => {
  const queue = new WorkQueue({ clock: systemClock });
  for (const key of keys) {
    queue.add(key);
    queue.done((await queue.take()).key);
  }
});
await measure("1,000,000 changes of one key in flight", million, async () => {
  const queue = new WorkQueue({ clock: systemClock });
  queue.add("a");
  await queue.take();
  for (let index = 0; index < million; index++) queue.add("a", { reason: "changed" });
});
await measure("schedule 1,000,000 keys for later, then take them early", million, async () => {
  const queue = new WorkQueue({ clock: systemClock });
  for (const key of keys) queue.addAfter(key, 60_000);
  for (const key of keys) queue.add(key);
  await drain(queue);
});

const queue = new WorkQueue({ clock: systemClock });
await passThrough(queue, 0, million);
const before = heap();
await passThrough(queue, million, 11 * million);
const kept = heap() - before;
console.log(
  `10,000,000 distinct keys passed through leave ${(kept / 1024).toFixed(0)} KB and ${queue.size} keys behind`,
);
process.exitCode = queue.size === 0 && kept < 1024 * 1024 ? 0 : 1;

async function passThrough(queue, from, to) {
  for (let index = from; index < to; index++) {
    const key = `n/${index}`;
    queue.add(key);
    await queue.take();
    if (index % 4 === 0) queue.retry(key);
    queue.forget(key);
    queue.done(key);
    if (index % 4 === 0) {
      queue.add(key);
      await queue.take();
      queue.done(key);
    }
  }
}

async function drain(queue) {
  while (queue.length > 0) queue.done((await queue.take()).key);
}

function heap() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function measure(what, count, run) {
  globalThis.gc?.();
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${what}: ${Math.round(count / seconds).toLocaleString("en")} keys/s (${seconds.toFixed(2)} s)`,
  );
}

async function load(contents) {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
  try {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      conditions: ["kubewright-source"],
      write: false,
    });
    const file = join(folder, "queue.mjs");
    writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
