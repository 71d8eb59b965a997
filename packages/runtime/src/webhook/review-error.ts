// A review that is malformed, or one that could not be answered: the HTTP status says which, and the failure policy of the webhook
// decides what follows.

/** Answered with an HTTP status other than 200. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
