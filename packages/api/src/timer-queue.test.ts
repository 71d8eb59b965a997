import fc from "fast-check";
import { expect, it } from "vitest";
import { type QueuedTimer, TimerQueue } from "./timer-queue.js";

const nothing = (): void => undefined;

it("TimerQueue: returns timers by due time, then in the order they were added, without the cancelled ones", () => {
  const step = fc.oneof(
    fc.record({ add: fc.nat(20) }),
    fc.record({ cancel: fc.nat(100) }),
    fc.constant({ take: true as const }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = new TimerQueue();
      const added: QueuedTimer[] = [];
      let waiting: QueuedTimer[] = [];
      for (const action of steps) {
        if ("add" in action) {
          const timer = queue.add(action.add, nothing);
          added.push(timer);
          waiting.push(timer);
        } else if ("cancel" in action) {
          const timer = added[action.cancel % Math.max(1, added.length)];
          if (timer) queue.cancel(timer);
          waiting = waiting.filter((candidate) => candidate !== timer);
        } else {
          const expected = waiting.toSorted((a, b) => a.due - b.due || a.sequence - b.sequence)[0];
          expect(queue.nextDue()).toBe(expected?.due);
          expect(queue.take()).toBe(expected);
          waiting = waiting.filter((candidate) => candidate !== expected);
        }
        expect(queue.size).toBe(waiting.length);
      }
    }),
  );
});
