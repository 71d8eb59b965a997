// Long work as steps: a generator that pauses now and then and has the result in the end. Whoever has others to look after does so
// between steps; who has nobody to wait for goes through all of them.

/** Work that pauses now and then. */
export type Steps<T> = Generator<undefined, T>;

/** The result, without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Says when it is time to pause: whenever it was asked so many times. */
export class Pace {
  readonly #every: number;
  #count = 0;

  constructor(every: number) {
    this.#every = every;
  }

  get isOver(): boolean {
    this.#count += 1;
    return this.#count % this.#every === 0;
  }
}
