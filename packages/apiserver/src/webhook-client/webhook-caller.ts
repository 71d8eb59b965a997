// Calls of admission and conversion webhooks. The host chooses the transport: HTTPS by default, or a function in this process, so that a
// cluster with its webhooks runs without a socket.
import { posix } from "node:path";
import { type Clock, goQuote } from "@kubewright/api";
import { onAbort } from "../request/on-abort.js";

/** Where a webhook is: a URL, or a port of a Service. */
export interface WebhookEndpoint {
  readonly url?: string | undefined;
  readonly service?: WebhookService | undefined;
  /** The CA bundle, PEM in base64. Default: the system's CAs. */
  readonly caBundle?: string | undefined;
}

/** A port of a Service. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** Default: `/`. */
  readonly path?: string | undefined;
  /** Default: 443. */
  readonly port?: number | undefined;
}

/** One call. */
export interface WebhookCall {
  readonly endpoint: WebhookEndpoint;
  /** Sent as JSON. */
  readonly body: unknown;
  /** The timeout in milliseconds. */
  readonly timeout: number;
  /** Aborted at the timeout, or when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * A webhook in this process: takes the path and the body of a call and returns the body of the response. Both are values, not text; the
 * request is frozen. Throwing answers 500.
 */
export type LocalWebhook = (path: string, body: unknown) => unknown;

/** Posts the body and resolves to the decoded response. Rejects with a WebhookError. */
export type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

/** A failed webhook call, with the message of Go's HTTP client where there is one. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** The URL of an endpoint, as clients use it and failures name it. */
function webhookUrl({ url, service }: WebhookEndpoint): string {
  if (url !== undefined) return withCleanPath(url);
  if (!service) throw new WebhookError("webhook configuration must have either service or URL");
  const host = `${service.name}.${service.namespace}.svc`;
  return `https://${host}:${service.port ?? 443}${cleanPath(service.path ?? "")}`;
}

/** The scheme and the host as they are written; `URL` would leave out ports that are usual. */
function withCleanPath(url: string): string {
  const [, origin = url, path = ""] = /^([^/]*\/\/[^/?#]*)([^?#]*)/.exec(url) ?? [];
  return `${origin}${cleanPath(path)}`;
}

/** A path as Go's client sends it: decoded, joined anew, and encoded. */
export function cleanPath(path: string): string {
  return encodeURI(posix.join("/", decoded(path)).replace(/(?<=.)\/$/, ""));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The URL of one call, with the timeout as a query parameter. */
export const callUrl = ({ endpoint, timeout }: Pick<WebhookCall, "endpoint" | "timeout">): string =>
  `${webhookUrl(endpoint)}?timeout=${Math.ceil(timeout / 1000)}s`;

/** A call; the signal is that of the client's request. */
export type Question = Omit<WebhookCall, "signal"> & { readonly signal?: AbortSignal | undefined };

/** Calls with a timeout, and cancels the call when the client disconnects. */
export async function callInTime(
  { callWebhook, clock }: { readonly callWebhook: WebhookCaller; readonly clock: Clock },
  question: Question,
): Promise<unknown> {
  const call = new AbortController();
  const giveUp = (why: string): void =>
    call.abort(new WebhookError(`Post ${goQuote(callUrl(question))}: ${why}`));
  const timer = clock.setTimer(question.timeout, () => giveUp("context deadline exceeded"));
  const stay = onAbort(question.signal, () => giveUp("context canceled"));
  try {
    return await Promise.race([aborted(call.signal), callWebhook({ ...question, signal: call.signal })]);
  } finally {
    timer.cancel();
    stay();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
