// Whether a server holds more after many requests than after some, once everything they made is gone.
import { memoryInUse } from "../robustness/memory.js";
import type { Housekeeping, WatchedStorage } from "./housekeeping.js";

/** What a server holds. */
export interface Level {
  /** Of JavaScript's heap and of buffers. */
  readonly megabytes: number;
  readonly objects: number;
  /** Who listens to the store. */
  readonly listeners: number;
  /** Timers, sockets and the like. */
  readonly handles: number;
}

/** Takes the level when everything is gone that can go. */
export async function takeLevel(storage: WatchedStorage, housekeeping: Housekeeping): Promise<Level> {
  housekeeping.forget();
  const megabytes = (await memoryInUse()) / 2 ** 20;
  return {
    megabytes: Math.round(megabytes * 10) / 10,
    objects: [...storage.counts()].reduce((sum, [, count]) => sum + count, 0),
    listeners: storage.listeners,
    handles: process.getActiveResourcesInfo().length,
  };
}

/** What may be added between the first level and the last: code that was compiled meanwhile, and caches with limits. */
const allowed: Level = { megabytes: 24, objects: 20, listeners: 6, handles: 6 };

/** How the last levels exceed the first; undefined when they do not. The lowest of the last three counts. */
export function growthOf(levels: readonly Level[]): string | undefined {
  const [first] = levels;
  if (!first || levels.length < 2) return undefined;
  const last = levels.slice(1).slice(-3);
  const grown = (Object.keys(allowed) as (keyof Level)[]).filter(
    (name) => Math.min(...last.map((level) => level[name])) > first[name] + allowed[name],
  );
  if (grown.length === 0) return undefined;
  return grown.map((name) => `${name}: ${levels.map((level) => level[name]).join(", ")}`).join("; ");
}
