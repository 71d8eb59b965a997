import { systemClock, VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { byNamespace, WorkQueue, type WorkQueueOptions } from "./work-queue.js";

const newQueue = (options: Partial<WorkQueueOptions> = {}) =>
  new WorkQueue({ clock: systemClock, random: () => 0, ...options });

/** Takes and gives back until nothing waits. */
async function drain(queue: WorkQueue, limit = Number.POSITIVE_INFINITY): Promise<string[]> {
  const order: string[] = [];
  while (queue.length > 0 && order.length < limit) {
    const { key } = (await queue.take())!;
    order.push(key);
    queue.done(key);
  }
  return order;
}

describe("a key of the work queue", () => {
  test("is held once however often it is added, with every reason", async () => {
    const queue = newQueue();
    queue.add("a", { reason: "one" });
    queue.add("a", { reason: "two" });
    queue.add("a", { reason: "one" });
    expect(queue.length).toBe(1);
    expect(await queue.take()).toMatchObject({ key: "a", reasons: ["one", "two"] });
    expect(queue.length).toBe(0);
  });

  test("added while in flight is queued again when given back, not before", async () => {
    const queue = newQueue();
    queue.add("a");
    await queue.take();
    queue.add("a", { reason: "meanwhile" });
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(await queue.take()).toMatchObject({ key: "a", reasons: ["meanwhile"] });
  });

  test("keeps a bounded number of reasons under a flood", async () => {
    const queue = newQueue();
    for (let index = 0; index < 100_000; index++) queue.add("a", { reason: `change ${index}` });
    expect((await queue.take())?.reasons).toHaveLength(8);
  });
});

describe("work queue priorities", () => {
  test("fresh changes overtake background work without starving it", async () => {
    const queue = newQueue();
    queue.add("old", { priority: "background" });
    for (let index = 0; index < 20; index++) queue.add(`new-${index}`);
    const order = await drain(queue);
    expect(order[0]).toBe("new-0");
    expect(order.indexOf("old")).toBe(7);
  });

  test("background work that waited too long gets every other take, and fresh changes the rest", async () => {
    const clock = new VirtualClock();
    const queue = newQueue({ clock, maxBackgroundWait: 1000 });
    for (let index = 0; index < 4; index++) queue.add(`old-${index}`, { priority: "background" });
    await clock.advance(1001);
    for (let index = 0; index < 4; index++) queue.add(`new-${index}`);
    expect(await drain(queue)).toEqual([
      "new-0",
      "old-0",
      "new-1",
      "old-1",
      "new-2",
      "old-2",
      "new-3",
      "old-3",
    ]);
  });

  test("a background key becomes fresh when it changes", async () => {
    const queue = newQueue();
    queue.add("a", { priority: "background" });
    queue.add("b", { priority: "background" });
    queue.add("b");
    expect(await drain(queue)).toEqual(["b", "a"]);
  });

  test("namespaces are served round-robin on demand", async () => {
    const queue = newQueue({ fairBy: byNamespace });
    for (let index = 0; index < 5; index++) queue.add(`big/${index}`);
    for (const key of ["small/0", "small/1", "node"]) queue.add(key);
    expect(await drain(queue)).toEqual([
      "big/0",
      "small/0",
      "node",
      "big/1",
      "small/1",
      "big/2",
      "big/3",
      "big/4",
    ]);
  });
});

describe("work queue delays", () => {
  test("the earliest of several delays counts, and the key comes once", async () => {
    const clock = new VirtualClock();
    const queue = newQueue({ clock });
    queue.addAfter("a", 500);
    queue.addAfter("a", 100);
    queue.addAfter("a", 300);
    await clock.advance(99);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await drain(queue)).toEqual(["a"]);
    await clock.advance(1000);
    expect(queue.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("a key taken for another reason is no longer due", async () => {
    const clock = new VirtualClock();
    const queue = newQueue({ clock });
    queue.addAfter("a", 100);
    queue.add("a");
    await drain(queue);
    expect(queue.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("many keys come due in order", async () => {
    const clock = new VirtualClock();
    const queue = newQueue({ clock });
    const delays = Array.from({ length: 200 }, (_, index) => (index * 7919) % 1009);
    for (const delay of delays) queue.addAfter(`${delay}`, delay);
    await clock.advance(2000);
    expect(await drain(queue)).toEqual([...new Set(delays)].sort((a, b) => a - b).map(String));
  });
});

describe("work queue backoff", () => {
  /** A queue with one key that failed so often, given back. */
  async function failing(times: number) {
    const clock = new VirtualClock();
    const queue = newQueue({ clock });
    queue.add("a", { reason: "first" });
    for (let failures = 0; failures < times; failures++) {
      await clock.runUntil(() => queue.length === 1);
      await queue.take();
      queue.retry("a");
      queue.done("a");
    }
    return { clock, queue };
  }

  test("doubles from 5 ms to 1000 s, and starts over after a success", async () => {
    const clock = new VirtualClock();
    const queue = newQueue({ clock });
    const delays: number[] = [];
    queue.add("a");
    for (let failures = 0; failures < 20; failures++) {
      await clock.runUntil(() => queue.length === 1);
      await queue.take();
      delays.push(queue.retry("a"));
      queue.done("a");
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.at(-1)).toBe(1_000_000);
    queue.forget("a");
    await clock.runUntil(() => queue.length === 1);
    await queue.take();
    expect(queue.retry("a")).toBe(5);
  });

  test("is shortened by jitter, by a tenth at most", () => {
    const queue = newQueue({ clock: new VirtualClock(), random: () => 0.999 });
    expect(queue.retry("a")).toBeGreaterThan(4.5);
    expect(queue.retry("b")).toBeLessThan(5);
  });

  test("is kept through a flood of changes, which the retry then sees", async () => {
    const { clock, queue } = await failing(12);
    for (let index = 0; index < 100_000; index++) queue.add("a", { reason: "flood" });
    await clock.advance(10_239);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect((await queue.take())?.reasons).toEqual(["first", "retry", "flood"]);
    expect(queue.failures("a")).toBe(12);
  });

  test("is cut short by urgent adds, once a second, without growing", async () => {
    const { clock, queue } = await failing(12);
    const attempts: number[] = [];
    const start = clock.monotonic();
    for (let step = 0; step < 105; step++) {
      queue.add("a", { urgent: true });
      await clock.advance(100);
      if (queue.length === 0) continue;
      attempts.push(clock.monotonic() - start);
      await queue.take();
      queue.retry("a");
      queue.done("a");
    }
    expect(attempts).toEqual([1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10_000, 10_300]);
    expect(queue.failures("a")).toBe(13);
  });

  test("is not cut short after a first failure, whose delay is short", async () => {
    const { clock, queue } = await failing(1);
    queue.add("a", { urgent: true });
    expect(queue.length).toBe(0);
    await clock.advance(5);
    expect(queue.length).toBe(1);
  });
});

test("closing the work queue wakes waiting workers with nothing and leaves no timer", async () => {
  const clock = new VirtualClock();
  const queue = newQueue({ clock });
  queue.addAfter("later", 1000);
  const waiting = queue.take();
  queue.close();
  expect(await waiting).toBeUndefined();
  expect(await queue.take()).toBeUndefined();
  queue.add("a");
  expect([queue.length, queue.size, clock.pending]).toEqual([0, 0, 0]);
});

test("the work queue keeps no memory of a hundred thousand keys that came and went", async () => {
  const clock = new VirtualClock();
  const queue = newQueue({ clock, fairBy: byNamespace });
  for (let index = 0; index < 100_000; index++) {
    const key = `ns-${index % 1000}/${index}`;
    queue.add(key, { reason: "added" });
    await queue.take();
    if (index % 3 === 0) queue.retry(key);
    else if (index % 3 === 1) queue.addAfter(key, 1000);
    queue.done(key);
    if (index % 3 === 0) queue.forget(key);
    if (index % 1000 === 999) {
      await clock.advance(1000);
      for (const due of await drain(queue)) queue.forget(due);
    }
  }
  expect(queue.size).toBe(0);
  expect(clock.pending).toBe(0);
});

describe("a paused work queue", () => {
  test("collects keys, and hands them out in order when it resumes", async () => {
    const queue = newQueue();
    const taken: string[] = [];
    queue.isPaused = true;
    const waiting = queue.take().then((item) => taken.push(item?.key ?? ""));
    queue.add("a");
    queue.add("b");
    await Promise.resolve();
    expect(taken).toEqual([]);
    expect(queue.length).toBe(2);
    queue.isPaused = false;
    await waiting;
    expect(taken).toEqual(["a"]);
    expect(await queue.take()).toMatchObject({ key: "b" });
  });

  test("ends its takers when it closes", async () => {
    const queue = newQueue();
    queue.isPaused = true;
    const waiting = queue.take();
    queue.close();
    expect(await waiting).toBeUndefined();
  });
});
