// Waiting for the end of a request. Many parts of one request may do so at once, which Node reports as a leak unless the number of listeners is unlimited.
import { setMaxListeners } from "node:events";

/** Calls back once when the signal is aborted, at once if it is already; returns how to call that off. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  setMaxListeners(0, signal);
  signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}
