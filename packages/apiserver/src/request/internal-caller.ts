/**
 * How the server's own controllers write: through the front door, so that every rule holds for them too. Rejects with the
 * ApiError a client would get.
 */
export type InternalCaller = (
  /** A PATCH applies the body. */
  method: "PUT" | "POST" | "DELETE" | "PATCH",
  path: string,
  body?: unknown,
) => Promise<unknown>;
