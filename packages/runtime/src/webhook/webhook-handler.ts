// All webhooks of a manager as one function from a request to a response. The HTTPS listener is an adapter over it; an API
// server in the same process calls it with no socket and no certificate.
import { type Clock, systemClock, type TransportRequest, type TransportResponse } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { CachedClient } from "../informer/cached-client.js";
import { InformerPool } from "../informer/informer-pool.js";
import { type Logger, silentLogger } from "../logging/logger.js";
import type { WebhookObserver } from "../metrics/webhook-metrics.js";
import { AdmissionRoute, type Reviewed, type RouteScope } from "./admission-route.js";
import { ConversionRoute } from "./conversion-route.js";
import type { ProbeRoute } from "./reach-probe.js";
import { reviewBody } from "./review-body.js";
import { ReviewError } from "./review-error.js";
import { conversionPath, probePath, webhookPath } from "./webhook-names.js";
import { conversionsOf, type WebhookManager, webhooksOf } from "./webhooks-of.js";

/** Options of a webhook handler. */
export interface WebhookHandlerOptions {
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
  /** The reader of handlers; without it `ctx.get` and `ctx.list` fail. */
  readonly client?: Client | CachedClient | undefined;
  /** Called with the errors of handlers, besides the log. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
  /** Answers the probe by which an API server shows that it can reach this one. */
  readonly probe?: ProbeRoute | undefined;
  /** Observes every request, for metrics. */
  readonly observer?: WebhookObserver | undefined;
}

interface Route {
  readonly maxBytes: number;
  review(body: unknown, timeout: number | undefined): Promise<Reviewed>;
}

/** The webhooks of a manager, as functions. */
export class WebhookHandler {
  readonly #routes = new Map<string, Route>();
  readonly #observer: WebhookObserver | undefined;

  constructor(manager: Pick<WebhookManager, "webhooks">, options: WebhookHandlerOptions) {
    const { clock = systemClock, log = silentLogger, onError = () => undefined, observer } = options;
    const scope: RouteScope = { clock, log, client: cached(options.client, clock), onError };
    this.#observer = observer;
    for (const definition of webhooksOf(manager)) {
      if (definition.default)
        this.#add(webhookPath("mutate", definition), new AdmissionRoute("mutate", definition, scope));
      if (definition.validators.size > 0)
        this.#add(webhookPath("validate", definition), new AdmissionRoute("validate", definition, scope));
    }
    if (options.probe) this.#add(probePath, options.probe);
    const conversions = conversionsOf(manager);
    if (conversions.length > 0) this.#add(conversionPath, new ConversionRoute(conversions, scope));
  }

  get paths(): readonly string[] {
    return [...this.#routes.keys()].filter((path) => path !== probePath);
  }

  /** The largest body of a path; undefined for paths that do not exist. */
  maxBytes(path: string): number | undefined {
    return this.#routes.get(path)?.maxBytes;
  }

  /** Answers a request; never rejects. */
  readonly handle = async (request: TransportRequest): Promise<TransportResponse> => {
    try {
      if (!this.#routes.has(request.path)) throw new ReviewError(404, "there is no webhook here");
      if (request.method !== "POST") throw new ReviewError(405, "webhooks are asked with POST");
      const body = reviewBody(request, this.#routes.get(request.path)?.maxBytes ?? 0);
      const value = await this.#review(request.path, body, timeoutOf(request.query));
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        body: { kind: "object", value },
      };
    } catch (error) {
      const status = error instanceof ReviewError ? error.status : 500;
      const text = error instanceof ReviewError ? error.message : "the webhook server failed";
      const bytes = new TextEncoder().encode(`${text}\n`);
      return {
        status,
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: { kind: "bytes", bytes },
      };
    }
  };

  /** The same as a plain function: what `resolveService` of an embedded API server may return. Throwing means 500. */
  readonly call = (path: string, body: unknown): Promise<unknown> => this.#review(path, body, undefined);

  async #review(path: string, body: unknown, timeout: number | undefined): Promise<unknown> {
    const route = this.#routes.get(path);
    if (!route) throw new ReviewError(404, "there is no webhook here");
    const answered = this.#observer?.began(path);
    try {
      const { body: answer, code } = await route.review(body, timeout);
      answered?.(code);
      return answer;
    } catch (error) {
      answered?.(error instanceof ReviewError ? error.status : 500);
      throw error;
    }
  }

  #add(path: string, route: Route): void {
    this.#routes.set(path, route);
  }
}

/**
 * The webhooks of a manager as functions, without a server: for tests, and for an API server in this process.
 * A running manager needs none of this: start it with `webhooks: { mode: "local", connect }`.
 *
 * @example
 * const webhooks = webhookHandler(manager, { client });
 * const cluster = await startCluster({ resolveService: ({ name }) => (name === "hooks" ? webhooks.call : undefined) });
 */
export function webhookHandler(
  manager: Pick<WebhookManager, "webhooks">,
  options: WebhookHandlerOptions = {},
): WebhookHandler {
  return new WebhookHandler(manager, options);
}

/** A plain client has no cache. */
function cached(client: Client | CachedClient | undefined, clock: Clock): CachedClient | undefined {
  if (client === undefined || client instanceof CachedClient) return client;
  return new CachedClient(client, new InformerPool({ client, clock }));
}

/** API servers send their timeout: `?timeout=10s`. */
function timeoutOf(query: URLSearchParams | undefined): number | undefined {
  const seconds = /^(\d{1,4})s$/.exec(query?.get("timeout") ?? "")?.[1];
  return seconds === undefined || Number(seconds) === 0 ? undefined : Number(seconds) * 1000;
}
