/**
 * How the server's own controllers write: through the front door, so that every rule holds for them too. Rejects with the
 * ApiError a client would get.
 */
export type InternalCaller = (
  method: "PUT" | "POST" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<unknown>;
