// Webhooks over HTTPS: the way to those that run outside of this process.

import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { type Clock, roundIntegers, stringifyJson } from "@kubewright/api";
import { JsonSyntaxError, parseJson } from "@kubewright/machinery";
import {
  callUrl,
  cleanPath,
  type LocalWebhook,
  type WebhookCall,
  type WebhookCaller,
  type WebhookEndpoint,
  WebhookError,
  type WebhookService,
} from "../webhook-client/webhook-caller.js";
import { failedCall } from "./failed-call.js";
import { goErrorText } from "./go-error-text.js";

/** Where a Service is, seen from this process: at an address, in the process itself, or (undefined) nowhere. */
export type ServiceResolver = (service: WebhookService) => Place | undefined | Promise<Place | undefined>;

type Place = Address | LocalWebhook;

/** A port to connect to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface HttpsWebhookOptions {
  readonly clock: Clock;
  /** Without it, webhooks behind Services cannot be reached. */
  readonly resolveService?: ServiceResolver | undefined;
}

/** Answers beyond this size are not read. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** Returns a caller that reaches webhooks over HTTPS, by URL or through a Service. */
export function httpsWebhookCaller(options: HttpsWebhookOptions): WebhookCaller {
  return async (call) => {
    const trail = { url: callUrl(call) };
    try {
      const { service } = call.endpoint;
      const place = service && (await placeOf(service, options.resolveService));
      if (typeof place === "function")
        return await answerOf(place, cleanPath(service?.path ?? ""), call.body);
      return await post(call, trail, place, options.clock);
    } catch (error) {
      if (error instanceof StatusError) throw new WebhookError(error.message);
      throw new WebhookError(`Post "${trail.url}": ${goErrorText(error)}`, { cause: error });
    }
  };
}

/** Where a call is on its way through redirects. */
interface Trail {
  url: string;
}

/** The webhook answered, but not with what it was asked for. */
class StatusError extends Error {}

async function placeOf(service: WebhookService, resolve: ServiceResolver | undefined): Promise<Place> {
  const place = await resolve?.(service);
  if (!place) throw new Error(`service "${service.name}" not found`);
  return place;
}

/** A webhook that throws has answered as a server does whose handler failed. */
async function answerOf(webhook: LocalWebhook, path: string, body: unknown): Promise<unknown> {
  try {
    return await webhook(path, roundIntegers(body));
  } catch (error) {
    throw new StatusError(failedCall(500, error instanceof Error ? error.message : String(error)));
  }
}

function targetOf(endpoint: WebhookEndpoint, url: string, address: Address | undefined): RequestOptions {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const secure = protocol !== "http:";
  // As Go does, trust any certificate of the bundle, and not only roots that signed themselves.
  const authority = endpoint.caBundle
    ? { ca: Buffer.from(endpoint.caBundle, "base64"), allowPartialTrustChain: true }
    : {};
  const host = hostname.replace(/^\[|\]$/g, "");
  const target: RequestOptions = {
    protocol,
    host,
    port: port || (secure ? 443 : 80),
    path: `${pathname}${search}`,
    ...authority,
  };
  return address === undefined ? target : { ...target, ...address, servername: host, headers: { host } };
}

/** As many redirects as Go's client follows. */
const maxRedirects = 10;

/** Posts the body, and follows redirects as Go's client does: with the body where the status says so, else by asking. */
async function post(
  call: WebhookCall,
  trail: Trail,
  address: Address | undefined,
  clock: Clock,
): Promise<unknown> {
  const first = new URL(trail.url).host;
  let body: Buffer | undefined = Buffer.from(stringifyJson(call.body));
  // Sockets are out of sight of virtual time, which must not overtake them.
  const idle = clock.busy("webhook call");
  try {
    for (let redirects = 0; ; redirects++) {
      const isFirstHost = new URL(trail.url).host === first;
      const target = targetOf(call.endpoint, trail.url, isFirstHost ? address : undefined);
      const incoming = await send(target, body, call.signal);
      const location = redirectOf(incoming);
      if (location === undefined) return await readAnswer(incoming);
      incoming.resume();
      if (redirects === maxRedirects) throw new Error(`stopped after ${maxRedirects} redirects`);
      trail.url = new URL(location, trail.url).href;
      if (incoming.statusCode !== 307 && incoming.statusCode !== 308) body = undefined;
    }
  } finally {
    idle();
  }
}

const redirectOf = ({ statusCode = 0, headers }: IncomingMessage): string | undefined =>
  [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;

function send(
  target: RequestOptions,
  body: Buffer | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    ...target,
    method: body ? "POST" : "GET",
    signal,
    // One call, one connection: webhooks come and go, and nothing must stay open behind them.
    agent: false,
    headers: {
      ...target.headers,
      accept: "application/json",
      "user-agent": "kube-apiserver-admission",
      ...(body ? { "content-type": "application/json", "content-length": body.length } : {}),
    },
  };
  return new Promise((resolve, reject) => {
    const request = target.protocol === "http:" ? httpRequest : httpsRequest;
    request(options, resolve).on("error", reject).end(body);
  });
}

async function readAnswer(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxAnswerBytes) throw new StatusError("the answer of the webhook is too large");
    if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const status = incoming.statusCode ?? 0;
  if (status < 200 || status > 299) throw new StatusError(failedCall(status, bytes.toString("utf8")));
  if (bytes.length === 0) throw new StatusError(noAnswer(status, incoming.headers["content-type"] ?? ""));
  return decoded(bytes);
}

const noAnswer = (status: number, contentType: string): string =>
  `0-length response with status code: ${status} and content type: ${contentType}`;

function decoded(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes, false).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new StatusError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}
