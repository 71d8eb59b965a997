// The queue beside the simplest thing that is right, over random histories with delays and failures.
import { VirtualClock } from "@kubewright/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { byNamespace, WorkQueue } from "./work-queue.js";

const base = 20;
const urgentAfter = 5;

interface KeyModel {
  /** The time when it may be taken; undefined when it is not queued. */
  readyAt: number | undefined;
  isHeld: boolean;
  /** Wanted again after being given back: when, or undefined. */
  again: { isUrgent: boolean } | undefined;
  dueWhileHeld: number | undefined;
  failures: number;
  failedAt: number;
  retryAt: number;
}

/** Keys with times, looked at one by one: no heap, no lanes, no timers. */
class Model {
  readonly keys = new Map<string, KeyModel>();
  now = 0;

  of(key: string): KeyModel {
    const fresh = { failures: 0, failedAt: 0, retryAt: 0 };
    const known = this.keys.get(key) ?? {
      ...fresh,
      readyAt: undefined,
      isHeld: false,
      again: undefined,
      dueWhileHeld: undefined,
    };
    this.keys.set(key, known);
    return known;
  }

  want(model: KeyModel, at: number): void {
    if (model.isHeld) model.dueWhileHeld = Math.min(model.dueWhileHeld ?? Number.POSITIVE_INFINITY, at);
    else model.readyAt = Math.min(model.readyAt ?? Number.POSITIVE_INFINITY, at);
  }

  allowed(model: KeyModel, isUrgent: boolean): number {
    if (model.failures === 0) return 0;
    return isUrgent ? Math.min(model.retryAt, model.failedAt + urgentAfter) : model.retryAt;
  }

  add(key: string, isUrgent: boolean): void {
    const model = this.of(key);
    if (model.isHeld) model.again = { isUrgent: isUrgent || (model.again?.isUrgent ?? false) };
    else this.want(model, Math.max(this.now, this.allowed(model, isUrgent)));
  }

  addAfter(key: string, delay: number): void {
    const model = this.of(key);
    this.want(model, Math.max(this.now + delay, this.allowed(model, false)));
  }

  ready(): string[] {
    return [...this.keys]
      .filter(([, { readyAt }]) => readyAt !== undefined && readyAt <= this.now)
      .map(([key]) => key);
  }

  take(key: string): void {
    Object.assign(this.of(key), { readyAt: undefined, isHeld: true });
  }

  retry(key: string): void {
    const model = this.of(key);
    if (model.failures === 0 || this.now >= model.retryAt) {
      model.failures += 1;
      model.retryAt = this.now + base * 2 ** (model.failures - 1);
    }
    model.failedAt = this.now;
    // Whatever was asked for before the failure waits for the backoff too.
    model.dueWhileHeld = undefined;
    this.want(model, model.retryAt);
  }

  done(key: string): void {
    const model = this.of(key);
    model.isHeld = false;
    // A delayed add that fell due while the key was in flight waits for it as any change does.
    const due = model.dueWhileHeld;
    model.dueWhileHeld = undefined;
    const fellDue = due !== undefined && due <= this.now;
    const again = model.again ?? (fellDue ? { isUrgent: false } : undefined);
    model.again = undefined;
    if (due !== undefined && !fellDue) this.want(model, due);
    if (again) this.want(model, Math.max(this.now, this.allowed(model, again.isUrgent)));
  }

  known(): number {
    return [...this.keys.values()].filter(
      (model) => model.readyAt !== undefined || model.isHeld || model.failures > 0,
    ).length;
  }
}

const key = fc.integer({ min: 0, max: 2 }).map((index) => `ns${index % 2}/k${index}`);
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("add" as const),
      key,
      fresh: fc.boolean(),
      urgent: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("later" as const), key, delay: fc.nat(100) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("take" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("done" as const),
      index: fc.nat(4),
      outcome: fc.constantFrom("failure", "failure", "success", "later"),
    }),
  },
  // Rare in long enough rows by chance alone: what fails over and over, and is cut short.
  { weight: 4, arbitrary: fc.record({ type: fc.constant("fail" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("wait" as const), time: fc.constantFrom(1, 6, 15, 25, 60) }),
  },
);

test.each([
  ["first come, first served", undefined],
  ["fair between namespaces", byNamespace],
] as const)(
  "the work queue behaves as the model: nothing lost, nothing early, nothing reconciled by two replicas (%s)",
  async (_, fairBy) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 100 }), async (commands) => {
        const clock = new VirtualClock();
        const queue = new WorkQueue({
          clock,
          fairBy,
          random: () => 0,
          backoff: { base, urgent: urgentAfter },
        });
        const model = new Model();
        const held: string[] = [];
        for (const step of commands) {
          if (step.type === "add") {
            queue.add(step.key, { priority: step.fresh ? "fresh" : "background", urgent: step.urgent });
            model.add(step.key, step.urgent);
          } else if (step.type === "later") {
            queue.addAfter(step.key, step.delay);
            model.addAfter(step.key, step.delay);
          } else if (step.type === "take" && queue.length > 0) {
            const taken = (await queue.take())!.key;
            expect(model.ready()).toContain(taken);
            expect(held).not.toContain(taken);
            model.take(taken);
            held.push(taken);
          } else if (step.type === "fail" && queue.length > 0) {
            const taken = (await queue.take())!.key;
            expect(model.ready()).toContain(taken);
            model.take(taken);
            queue.retry(taken);
            model.retry(taken);
            queue.done(taken);
            model.done(taken);
          } else if (step.type === "done") {
            const [given] = held.splice(step.index, 1);
            if (given === undefined) continue;
            if (step.outcome === "failure") {
              queue.retry(given);
              model.retry(given);
            } else {
              queue.forget(given);
              model.of(given).failures = 0;
              if (step.outcome === "later") {
                queue.addAfter(given, 50);
                model.addAfter(given, 50);
              }
            }
            queue.done(given);
            model.done(given);
          } else if (step.type === "wait") {
            await clock.advance(step.time);
            model.now += step.time;
          }
          // A delay of nothing still goes through the clock.
          await clock.advance(0);
          expect(queue.length).toBe(model.ready().length);
          expect(queue.size).toBe(model.known());
        }
      }),
      { numRuns: 300 },
    );
  },
);
