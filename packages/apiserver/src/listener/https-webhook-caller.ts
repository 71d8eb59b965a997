// Webhooks over HTTPS: the way to those that run outside of this process.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { Clock } from "@kubewright/api";
import {
  type WebhookCall,
  type WebhookCaller,
  type WebhookEndpoint,
  WebhookError,
  type WebhookService,
  webhookUrl,
} from "../admission/webhook-caller.js";

/** Where a Service can be reached from this process; undefined when it cannot. */
export type ServiceResolver = (service: WebhookService) => Address | undefined | Promise<Address | undefined>;

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
    const url = webhookUrl(call.endpoint);
    try {
      const target = await targetOf(call.endpoint, url, options.resolveService);
      return await post(call, target, options.clock);
    } catch (error) {
      if (error instanceof StatusError) throw new WebhookError(error.message);
      throw new WebhookError(`Post "${url}": ${goText(error)}`, { cause: error });
    }
  };
}

/** The webhook answered, but not with what it was asked for. */
class StatusError extends Error {}

async function targetOf(
  endpoint: WebhookEndpoint,
  url: string,
  resolve: ServiceResolver | undefined,
): Promise<RequestOptions> {
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
  if (!endpoint.service) return target;
  const address = await resolve?.(endpoint.service);
  if (!address) throw new Error(`service "${endpoint.service.name}" not found`);
  return { ...target, ...address, servername: host, headers: { host } };
}

function post(call: WebhookCall, target: RequestOptions, clock: Clock): Promise<unknown> {
  const body = Buffer.from(JSON.stringify(call.body));
  const options: RequestOptions = {
    ...target,
    method: "POST",
    // One call, one connection: webhooks come and go, and nothing must stay open behind them.
    agent: false,
    headers: {
      ...target.headers,
      accept: "application/json",
      "content-type": "application/json",
      "content-length": body.length,
    },
  };
  return new Promise((resolve, reject) => {
    const send = target.protocol === "http:" ? httpRequest : httpsRequest;
    const outgoing: ClientRequest = send(options, (incoming) => readAnswer(incoming).then(settle, fail));
    const timer = clock.setTimer(call.timeout, () =>
      outgoing.destroy(new Error("context deadline exceeded")),
    );
    function settle(answer: unknown): void {
      timer.cancel();
      resolve(answer);
    }
    function fail(error: unknown): void {
      timer.cancel();
      outgoing.destroy();
      reject(error);
    }
    outgoing.on("error", fail);
    outgoing.end(body);
  });
}

async function readAnswer(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new StatusError("the answer of the webhook is too large");
    if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const status = incoming.statusCode ?? 0;
  if (status < 200 || status > 299) throw new StatusError(statusText(status, text));
  try {
    return JSON.parse(text);
  } catch {
    throw new StatusError(`couldn't get version/kind; json parse error: ${text.slice(0, 100)}`);
  }
}

function statusText(status: number, text: string): string {
  if (status === 404) return "the server could not find the requested resource";
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text.slice(0, 200))}) has prevented the request from succeeding`;
  return `the server rejected our request for an unknown reason`;
}

/** Node's errors as people who know Go's search for them. */
function goText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === "ECONNREFUSED") return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${error.message.split(" ").at(-1)}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  if (code && /CERT|SIGNED|SIGNATURE|ALTNAME/.test(code))
    return `tls: failed to verify certificate: x509: ${error.message}`;
  return error.message;
}
