import { systemClock } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WorkQueue } from "./work-queue.js";

const newQueue = () => new WorkQueue({ clock: systemClock, random: () => 0 });

describe("a key", () => {
  test("is held once however often it is added, with every reason", async () => {
    const queue = newQueue();
    queue.add("a", { reason: "one" });
    queue.add("a", { reason: "two" });
    queue.add("a", { reason: "one" });
    expect(queue.length).toBe(1);
    expect(await queue.take()).toEqual({ key: "a", reasons: ["one", "two"] });
    expect(queue.length).toBe(0);
  });

  test("added while in hand is queued again when given back, not before", async () => {
    const queue = newQueue();
    queue.add("a");
    await queue.take();
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(queue.length).toBe(1);
  });
});

test("fresh changes overtake background work without starving it", async () => {
  const queue = newQueue();
  queue.add("old", { priority: "background" });
  for (let index = 0; index < 20; index++) queue.add(`new-${index}`);
  const order: string[] = [];
  while (queue.length > 0) {
    const item = await queue.take();
    order.push(item?.key ?? "");
    queue.done(item?.key ?? "");
  }
  expect(order[0]).toBe("new-0");
  expect(order.indexOf("old")).toBeGreaterThan(0);
  expect(order.indexOf("old")).toBeLessThan(12);
});

test("a background key becomes fresh when it changes", async () => {
  const queue = newQueue();
  queue.add("a", { priority: "background" });
  queue.add("b", { priority: "background" });
  queue.add("b");
  expect((await queue.take())?.key).toBe("b");
});

test("closing wakes whoever waits, with nothing", async () => {
  const queue = newQueue();
  const waiting = queue.take();
  queue.close();
  expect(await waiting).toBeUndefined();
  expect(await queue.take()).toBeUndefined();
});

const command = fc.oneof(
  fc.record({ type: fc.constant("add" as const), key: fc.integer({ min: 0, max: 4 }), fresh: fc.boolean() }),
  fc.record({ type: fc.constant("take" as const) }),
  fc.record({ type: fc.constant("done" as const), index: fc.nat(4) }),
);

/** The simplest thing that is right: sets of keys that are dirty and in hand. */
test("behaves as the model: nothing lost, nothing in two hands, nothing without being added", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 100 }), async (commands) => {
      const queue = newQueue();
      const dirty = new Set<string>();
      const held = new Set<string>();
      for (const step of commands) {
        if (step.type === "add") {
          queue.add(`k${step.key}`, { priority: step.fresh ? "fresh" : "background" });
          dirty.add(`k${step.key}`);
        } else if (step.type === "take") {
          const ready = [...dirty].filter((key) => !held.has(key));
          expect(queue.length).toBe(ready.length);
          if (ready.length === 0) continue;
          const key = (await queue.take())?.key ?? "";
          expect(ready).toContain(key);
          dirty.delete(key);
          held.add(key);
        } else {
          const key = [...held][step.index];
          if (key === undefined) continue;
          queue.done(key);
          held.delete(key);
        }
      }
      expect(queue.length).toBe([...dirty].filter((key) => !held.has(key)).length);
    }),
  );
});
