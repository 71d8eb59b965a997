// What a work queue keeps of keys that came and went: new ones all the time, most done at once, some after a failure, some
// after a delay.
import { VirtualClock } from "@kubewright/api";
import { byNamespace, WorkQueue } from "@kubewright/runtime";

/** Bytes in use before and after, and keys the queue still knows. */
export interface QueueWeights {
  readonly before: number;
  readonly after: number;
  readonly size: number;
  readonly taken: number;
}

const total = Number(process.argv[2]);
const batch = 1_000;
const clock = new VirtualClock();
const queue = new WorkQueue({ clock, random: () => 0.5, fairBy: byNamespace });
let taken = 0;

async function pass(first: number): Promise<void> {
  for (let index = first; index < first + batch; index++) {
    const key = `namespace-${index >> 8}/object-${index}`;
    if (index % 16 === 1) queue.addAfter(key, 500);
    else queue.add(key, { priority: index % 2 ? "fresh" : "background", reason: `object ${index}` });
  }
  await serve((key) => key.endsWith("7"));
  await clock.advance(1_000);
  await serve(() => false);
}

/** Works off what waits. */
async function serve(fails: (key: string) => boolean): Promise<void> {
  while (queue.length > 0) {
    const item = await queue.take();
    if (!item) return;
    taken++;
    if (fails(item.key)) queue.retry(item.key);
    else queue.forget(item.key);
    queue.done(item.key);
  }
}

function memory(): number {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

// What is compiled and sized on the way is no part of it.
for (let first = 0; first < 100 * batch; first += batch) await pass(first);
const before = memory();
for (let first = 100 * batch; first < total; first += batch) await pass(first);
const weights: QueueWeights = { before, after: memory(), size: queue.size, taken };
process.stdout.write(JSON.stringify(weights));
queue.close();
