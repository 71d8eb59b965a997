// How the server calls webhooks, for admission and for conversion alike. What carries the call is the host's choice: HTTPS
// by default, or a function in this process, so that a whole cluster with its webhooks runs without a socket.
import { type Clock, goQuote } from "@kubewright/api";
import { onAbort } from "../request/on-abort.js";

/** Where a webhook is: a URL, or a port of a Service. */
export interface WebhookEndpoint {
  readonly url?: string | undefined;
  readonly service?: WebhookService | undefined;
  /** Authorities to believe, PEM in base64; those of the system when absent. */
  readonly caBundle?: string | undefined;
}

/** A port of a Service. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** `/` unless said otherwise. */
  readonly path?: string | undefined;
  /** 443 unless said otherwise. */
  readonly port?: number | undefined;
}

/** One call. */
export interface WebhookCall {
  readonly endpoint: WebhookEndpoint;
  /** Sent as JSON. */
  readonly body: unknown;
  /** Milliseconds after which nobody waits any longer. */
  readonly timeout: number;
  /** Aborted when nobody waits any longer: the time is over, or the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * A webhook in this process: is given the path and the body of a call, and returns what would be the body of its answer. Both
 * are values, not text; what it is given is frozen. To throw is to answer 500.
 */
export type LocalWebhook = (path: string, body: unknown) => unknown;

/** Posts the body and resolves to the decoded answer. Rejects with a WebhookError when there is none. */
export type WebhookCaller = (call: WebhookCall) => Promise<unknown>;

/** Why a webhook gave no usable answer, in the words of Go's client where it has any. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** The URL of an endpoint, as clients use it and failures name it. */
export function webhookUrl({ url, service }: WebhookEndpoint): string {
  if (url !== undefined) return url;
  if (!service) throw new WebhookError("webhook configuration must have either service or URL");
  const path = service.path ?? "";
  const host = `${service.name}.${service.namespace}.svc`;
  return `https://${host}:${service.port ?? 443}${path.startsWith("/") ? path : `/${path}`}`;
}

/** The URL of one call; the webhook is told how long it has. */
export const callUrl = ({ endpoint, timeout }: Pick<WebhookCall, "endpoint" | "timeout">): string =>
  `${webhookUrl(endpoint)}?timeout=${Math.ceil(timeout / 1000)}s`;

/** What is asked of a webhook; the signal is that of whoever asks. */
export type Question = Omit<WebhookCall, "signal"> & { readonly signal?: AbortSignal | undefined };

/** Calls with a limit of time, which holds whatever limits the caller has, and gives up when nobody waits. */
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
