import { expect, test } from "vitest";
import { SchedulingQueue } from "./scheduling-queue.js";

const drain = (queue: SchedulingQueue): readonly string[] => {
  const taken: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) taken.push(key);
  return taken;
};

test("scheduling queue: the highest priority comes first, then the oldest", () => {
  const queue = new SchedulingQueue();
  const pods = [
    ["a", 0],
    ["b", 10],
    ["c", 0],
    ["d", 10],
    ["e", 5],
  ] as const;
  for (const [at, [key, priority]] of pods.entries()) queue.add(key, priority, at);
  queue.add("a", 0, 99);
  expect(drain(queue)).toEqual(["b", "d", "e", "a", "c"]);
});

test("scheduling queue: a pod whose priority changed has one place, and a deleted one has none", () => {
  const queue = new SchedulingQueue();
  queue.add("a", 0, 1);
  queue.add("b", 1, 2);
  queue.add("a", 2, 3);
  queue.forget("b");
  expect(drain(queue)).toEqual(["a"]);
});

test.each([
  ["NodeResourcesFit", "pod-gone", true],
  ["NodeResourcesFit", "volume", false],
  ["TaintToleration", "node", true],
  ["TaintToleration", "pod-gone", false],
  ["InterPodAffinity", "pod-placed", true],
  ["VolumeBinding", "volume", true],
] as const)(
  "scheduling queue: a pod rejected by %s is tried again on %s: %s",
  (plugin, occasion, isHelped) => {
    const queue = new SchedulingQueue();
    queue.park("a", new Set([plugin]));
    expect(queue.helped(occasion)).toEqual(isHelped ? ["a"] : []);
  },
);
