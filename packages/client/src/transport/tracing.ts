// One OpenTelemetry span a call, and the headers that let the server's own spans join it. Only the part of the API that is
// used is described here, so that only programs that trace need the package.
import type { Transport, TransportRequest } from "@kubewright/api";
import type { Middleware } from "./middleware.js";
import { type RequestInfo, requestInfo } from "./request-info.js";

/** The part of `@opentelemetry/api` that is used. */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string, version?: string): Tracer;
    setSpan(context: unknown, span: Span): unknown;
  };
  readonly context: { active(): unknown };
  readonly propagation: { inject(context: unknown, carrier: unknown): void };
}

interface Tracer {
  startSpan(name: string, options: object, context: unknown): Span;
}

interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): unknown;
  end(): void;
}

const clientKind = 2;
const errorStatus = 2;

/** Middleware that makes a span of each call, its repetitions included. */
export function tracing(api: OpenTelemetryApi, server: URL): Middleware {
  const tracer = api.trace.getTracer("@kubewright/client");
  return (next) => async (request) => {
    const info = requestInfo(request);
    const parent = api.context.active();
    const span = tracer.startSpan(
      nameOf(info),
      { kind: clientKind, attributes: attributesOf(request, info, server) },
      parent,
    );
    const headers: Record<string, string> = { ...request.headers };
    api.propagation.inject(api.trace.setSpan(parent, span), headers);
    try {
      const response = await next({ ...request, headers });
      span.setAttribute("http.response.status_code", response.status);
      if (response.status >= 400) span.setStatus({ code: errorStatus });
      return response;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      span.setAttribute("error.type", failure.name);
      span.recordException(failure);
      span.setStatus({ code: errorStatus, message: failure.message });
      throw error;
    } finally {
      span.end();
    }
  };
}

/** Names of objects would make every span its own kind. */
function nameOf({ verb, resource }: RequestInfo): string {
  return resource === undefined ? verb : `${verb} ${resource}`;
}

function attributesOf(
  request: TransportRequest,
  info: RequestInfo,
  server: URL,
): Record<string, string | number> {
  return {
    "http.request.method": request.method,
    "url.full": `${server.origin}${request.path}`,
    "server.address": server.hostname,
    "server.port": Number(server.port) || (server.protocol === "https:" ? 443 : 80),
    ...(info.namespace !== undefined && { "k8s.namespace.name": info.namespace }),
  };
}

/** Set by `@opentelemetry/api` when an application registers a tracer. */
const registry = Symbol.for("opentelemetry.js.api.1");

/** Middleware that traces from the moment the application registers a tracer, and costs nothing before. */
export function tracingWhenUsed(server: URL): Middleware {
  return (next) => {
    let traced: Promise<Transport> | undefined;
    return async (request) => {
      if (traced === undefined) {
        if (!(registry in globalThis)) return next(request);
        traced = findOpenTelemetry().then((api) => (api ? tracing(api, server)(next) : next));
      }
      return (await traced)(request);
    };
  };
}

async function findOpenTelemetry(): Promise<OpenTelemetryApi | undefined> {
  const name = "@opentelemetry/api";
  const found: unknown = await import(name).catch(() => undefined);
  return isOpenTelemetry(found) ? found : undefined;
}

function isOpenTelemetry(value: unknown): value is OpenTelemetryApi {
  return typeof value === "object" && value !== null && "trace" in value && "propagation" in value;
}
