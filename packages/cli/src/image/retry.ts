// Temporary failures of a registry are tried again, after pauses that grow.

/** Waits some milliseconds. */
export type Pause = (milliseconds: number) => Promise<void>;

export const realPause: Pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A failure that may be gone the next time: a broken connection, an overloaded registry. */
export class TemporaryError extends Error {
  override readonly name = "TemporaryError";
  readonly retryAfter: number | undefined;

  /** `retryAfter` is in milliseconds, where the registry named it. */
  constructor(message: string, options: ErrorOptions & { readonly retryAfter?: number | undefined } = {}) {
    super(message, options);
    this.retryAfter = options.retryAfter;
  }
}

/** There is no registry at that address, or no way to it: waiting a few seconds would change nothing. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

const attempts = 5;
const longest = 30_000;

/** Tries up to five times: after half a second, one, two and four, or when the registry asks for it. */
export async function retried<T>(operation: () => Promise<T>, pause: Pause = realPause): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof TemporaryError) || attempt === attempts) throw error;
      await pause(Math.min(error.retryAfter ?? 250 * 2 ** attempt, longest));
    }
}
