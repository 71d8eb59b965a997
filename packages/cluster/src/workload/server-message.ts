// The text of a server's error for events and conditions, as kubectl would print it.
import { ApiError } from "@kubewright/api";

/** The message of an error, without the call that the client puts in front of the server's message. */
export function serverMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) return message;
  const at = message.indexOf(": ");
  return at === -1 ? message : message.slice(at + 2);
}
