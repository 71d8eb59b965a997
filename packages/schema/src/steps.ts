// Long work as steps: a generator that pauses now and then and has the result in the end, for whoever has others to look after meanwhile.

/** Work that pauses now and then. */
export type Steps<T> = Generator<undefined, T>;

/** The result, without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
