import { type Clock, isConflict, sleep, systemClock } from "@kubewright/api";

/** How often a write that conflicts is tried again, and how long after. */
export interface RetryOnConflictOptions {
  /** The maximum number of attempts. Default: 5. */
  readonly attempts?: number | undefined;
  /** The wait between attempts, in milliseconds, with jitter. Default: 10. */
  readonly delay?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** From 0 to 1, as Math.random. */
  readonly random?: (() => number) | undefined;
}

/**
 * Does the work again when somebody else changed the object meanwhile. The work must read the object anew each time.
 *
 * @example
 * await retryOnConflict(async () => {
 *   const config = await client.get(ConfigMap, "settings", { namespace: "shop" });
 *   await client.update(ConfigMap, { ...config, data: { ...config.data, mode: "fast" } });
 * });
 */
export async function retryOnConflict<T>(
  work: () => Promise<T>,
  options: RetryOnConflictOptions = {},
): Promise<T> {
  const { attempts = 5, delay = 10, signal, clock = systemClock, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
    await sleep(clock, delay * (1 + random()), signal);
  }
}
