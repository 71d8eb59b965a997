// Webhooks over HTTPS: the way to those that run outside of this process.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { type Clock, roundIntegers, stringifyJson } from "@kubewright/api";
import { JsonSyntaxError, parseJson } from "@kubewright/machinery";
import {
  callUrl,
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

export function httpsWebhookCaller(options: HttpsWebhookOptions): WebhookCaller {
  return async (call) => {
    const url = callUrl(call);
    try {
      const { service } = call.endpoint;
      const place = service && (await placeOf(service, options.resolveService));
      if (typeof place === "function") return await answerOf(place, service?.path ?? "/", call.body);
      return await post(call, targetOf(call.endpoint, url, place), options.clock);
    } catch (error) {
      if (error instanceof StatusError) throw new WebhookError(error.message);
      throw new WebhookError(`Post "${url}": ${goErrorText(error)}`, { cause: error });
    }
  };
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
  const authority = endpoint.caBundle ? { ca: Buffer.from(endpoint.caBundle, "base64") } : {};
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

async function post(call: WebhookCall, target: RequestOptions, clock: Clock): Promise<unknown> {
  const body = Buffer.from(stringifyJson(call.body));
  const options: RequestOptions = {
    ...target,
    method: "POST",
    signal: call.signal,
    // One call, one connection: webhooks come and go, and nothing must stay open behind them.
    agent: false,
    headers: {
      ...target.headers,
      accept: "application/json",
      "user-agent": "kube-apiserver-admission",
      "content-type": "application/json",
      "content-length": body.length,
    },
  };
  // Sockets are out of sight of virtual time, which must not overtake them.
  const idle = clock.busy("webhook call");
  return new Promise<unknown>((resolve, reject) => {
    const send = target.protocol === "http:" ? httpRequest : httpsRequest;
    const outgoing: ClientRequest = send(options, (incoming) => readAnswer(incoming).then(resolve, fail));
    function fail(error: unknown): void {
      outgoing.destroy();
      reject(error);
    }
    outgoing.on("error", fail);
    outgoing.end(body);
  }).finally(idle);
}

async function readAnswer(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
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
