/** How the server's own controllers write: through the front door, so that every rule holds for them too. */
export type InternalCaller = (
  method: "PUT" | "POST" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<unknown>;
