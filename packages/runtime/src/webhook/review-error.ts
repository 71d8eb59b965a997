// A question that makes no sense, or one that could not be answered: the HTTP status says so, and the caller's failure policy
// decides what that means.

/** Answered with an HTTP status other than 200. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The text of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
