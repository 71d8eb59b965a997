import { VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { KeyWorker } from "./key-worker.js";

function workerOf(work: (key: string) => Promise<void> | void) {
  const clock = new VirtualClock();
  const worker = new KeyWorker({ clock, name: "test", work: async (key) => work(key) });
  return { clock, worker };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe("KeyWorker", () => {
  it("works on each key once, however often it was added, in order", async () => {
    const seen: string[] = [];
    const { worker } = workerOf((key) => void seen.push(key));
    for (const key of ["a", "b", "a", "b"]) worker.add(key);
    await turns();
    expect(seen).toEqual(["a", "b"]);
  });

  it("works again on a key that was added while it was being worked on", async () => {
    const seen: string[] = [];
    const { worker } = workerOf((key) => {
      seen.push(key);
      if (seen.length === 1) worker.add("a");
    });
    worker.add("a");
    await turns();
    expect(seen).toEqual(["a", "a"]);
  });

  it("never works on two keys at the same time", async () => {
    let running = 0;
    let most = 0;
    const { worker } = workerOf(async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    });
    for (const key of ["a", "b", "c"]) worker.add(key);
    await turns();
    expect([most, running]).toEqual([1, 0]);
  });

  it("retries failed keys with backoff, and resets it after a success", async () => {
    const times: number[] = [];
    let failures = 3;
    const { worker, clock } = workerOf(() => {
      times.push(clock.now());
      failures -= 1;
      if (failures >= 0) throw new Error("no");
    });
    const start = clock.now();
    worker.add("a");
    await clock.advance(10_000);
    expect(times.map((time) => time - start)).toEqual([0, 10, 30, 70]);
  });

  it("continues with other keys when one fails", async () => {
    const seen: string[] = [];
    const { worker } = workerOf((key) => {
      seen.push(key);
      if (key === "bad") throw new Error("no");
    });
    for (const key of ["bad", "good"]) worker.add(key);
    await turns();
    expect(seen).toEqual(["bad", "good"]);
  });

  it("leaves no timer behind when closed", async () => {
    const seen: string[] = [];
    const { worker, clock } = workerOf((key) => {
      seen.push(key);
      throw new Error("no");
    });
    worker.add("a");
    await turns();
    worker.close();
    worker.add("b");
    await clock.advance(100_000);
    expect(seen).toEqual(["a"]);
  });
});
