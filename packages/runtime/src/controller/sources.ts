// Event sources outside the cluster that cause reconciles: a timer, a stream of messages, a call from other code.
import { type Clock, sleep } from "@kubewright/api";
import { keyOfTarget, type OwnObjects, type Target } from "./watches.js";

/** The context of a source. */
export interface SourceContext {
  readonly clock: Clock;
  /** Ends the source. */
  readonly signal: AbortSignal;
  readonly own: OwnObjects;
  /** Asks for a reconcile. `background` work lets changes go first. */
  enqueue(target: Target, reason: string, priority?: "fresh" | "background"): void;
  /** Reports an error of the source, which goes on. */
  report(error: unknown): void;
}

/** Runs until its signal ends it. What it throws is reported, and it is started again after a pause that grows. */
export interface Source {
  /** Named in reasons and reports. */
  readonly name: string;
  run(context: SourceContext): Promise<void>;
}

/** Reconciles every object each time the interval (in milliseconds) has passed. */
export function interval(milliseconds: number, name = "interval"): Source {
  if (!(milliseconds > 0)) throw new RangeError(`interval "${name}": ${milliseconds} is no duration`);
  return {
    name,
    async run({ clock, signal, own, enqueue }) {
      for (;;) {
        await sleep(clock, milliseconds, signal);
        for (const object of own.all()) enqueue(object, name, "background");
      }
    },
  };
}

/**
 * Reconciles what messages of a stream are about. A stream that ends or fails is opened again.
 *
 * @example
 * sources: [stream("queue", (signal) => queue.messages({ signal }), (message) => [message.app])]
 */
export function stream<T>(
  name: string,
  open: (signal: AbortSignal) => AsyncIterable<T>,
  targets: (message: T, own: OwnObjects) => readonly Target[],
): Source {
  return {
    name,
    async run({ signal, own, enqueue }) {
      for await (const message of open(signal)) {
        for (const target of targets(message, own)) enqueue(target, name);
      }
    },
  };
}

/** A source that other code sends to. Events sent while no controller listens are dropped: reconciling starts from the whole. */
export interface Channel extends Source {
  send(target: Target): void;
}

/**
 * A source for calls from the same process.
 *
 * @example
 * const pokes = channel("pokes");
 * defineController(App, { sources: [pokes], … });
 * pokes.send({ namespace: "shop", name: "web" });
 */
export function channel(name: string): Channel {
  const listeners = new Set<(target: Target) => void>();
  return {
    name,
    send: (target) => {
      for (const listener of listeners) listener(target);
    },
    async run({ signal, enqueue }) {
      const listener = (target: Target): void => enqueue(target, name);
      listeners.add(listener);
      await aborted(signal);
      listeners.delete(listener);
    },
  };
}

const firstPause = 1_000;
const longestPause = 60_000;

/** Keeps a source running until its signal ends it. */
export async function keepRunning(source: Source, context: SourceContext): Promise<void> {
  const { clock, signal } = context;
  let pause = firstPause;
  while (!signal.aborted) {
    const start = clock.monotonic();
    try {
      await source.run(context);
    } catch (error) {
      if (!signal.aborted) context.report(error);
    }
    if (signal.aborted) return;
    if (clock.monotonic() - start > longestPause) pause = firstPause;
    await sleep(clock, pause, signal).catch(() => undefined);
    pause = Math.min(longestPause, pause * 2);
  }
}

/** Sends a target to a queue under its key. */
export const keyed =
  (add: (key: string, reason: string, priority: "fresh" | "background") => void): SourceContext["enqueue"] =>
  (target, reason, priority = "fresh") =>
    add(keyOfTarget(target), reason, priority);

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
