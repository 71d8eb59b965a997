// How fast the machine is now, beside how fast it can be: a shared one is slower at times, in processor time too.

/** Compares one small piece of work with itself. */
export class Pace {
  #best = Number.POSITIVE_INFINITY;

  constructor() {
    for (let round = 0; round < 20; round++) this.slowness();
  }

  /** How many times as long things take now; 1 at its best. */
  slowness(): number {
    let now = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 10; round++) now = Math.min(now, timed());
    this.#best = Math.min(this.#best, now);
    return now / this.#best;
  }
}

/** Short, so that nobody is likely to interrupt the shortest of a few. */
function timed(): number {
  const begin = performance.now();
  const places: Record<string, number> = {};
  for (let index = 0; index < 1_000; index++) places[`k${index & 127}`] = index;
  const text = JSON.stringify(places);
  const spent = performance.now() - begin;
  return text.length > 0 ? spent : 0;
}
