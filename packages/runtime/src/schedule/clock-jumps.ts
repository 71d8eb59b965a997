// Timers count time that passes; schedules are about what clocks show. When somebody sets the clock, whatever waits for a
// time of day must look again.
import { sleep } from "@kubewright/api";
import type { Source } from "../controller/sources.js";

const lookEvery = 30_000;
/** Less is the everyday work of a time service. */
const tolerance = 500;

/**
 * Reconciles every object when the clock was set, within half a minute of it.
 *
 * @example
 * sources: [clockJumps()]
 */
export function clockJumps(): Source {
  return {
    name: "clock was set",
    async run({ clock, signal, own, enqueue }) {
      let difference = clock.now() - clock.monotonic();
      for (;;) {
        await sleep(clock, lookEvery, signal);
        const now = clock.now() - clock.monotonic();
        if (Math.abs(now - difference) < tolerance) continue;
        difference = now;
        for (const object of own.all()) enqueue(object, "clock was set");
      }
    },
  };
}
