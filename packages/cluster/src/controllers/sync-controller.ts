// A built-in controller that is one work loop: how such controllers are made and started, once for all of them.
import type { BuiltInController, ControllerEnvironment } from "./controller.js";
import { SyncLoop } from "./sync-loop.js";

/** The sync function of a loop, and its options. */
export interface Syncing {
  /** Brings the world in line with a key; returns after how many milliseconds to look again, if at all. */
  sync(key: string): Promise<number | undefined>;
}

/** A controller whose work is made for a loop: it says there what it watches. */
export function syncController(
  name: string,
  create: (loop: SyncLoop, environment: ControllerEnvironment) => Syncing,
): BuiltInController {
  return {
    name,
    start: (environment) => {
      const loop: SyncLoop = new SyncLoop(environment, { name, sync: (key) => work.sync(key) });
      const work = create(loop, environment);
      return loop.start();
    },
  };
}
