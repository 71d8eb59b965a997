import { context, propagation, type Span, type SpanStatus, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { ConnectionError } from "../connection-error.js";
import { failed, scripted } from "../fixtures/scripted-transport.js";
import { tracing, tracingWhenUsed } from "./tracing.js";

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  status?: SpanStatus;
  exception?: unknown;
  ended: boolean;
}

/** The real OpenTelemetry API with a provider that records its spans. */
function recordSpans(): Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (name: string, options: { attributes?: object } = {}): Span => {
    const recorded: Recorded = { name, attributes: { ...options.attributes }, ended: false };
    spans.push(recorded);
    return {
      setAttribute: (key: string, value: unknown) => {
        recorded.attributes[key] = value;
      },
      setStatus: (status: SpanStatus) => {
        recorded.status = status;
      },
      recordException: (exception: unknown) => {
        recorded.exception = exception;
      },
      end: () => {
        recorded.ended = true;
      },
      spanContext: () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 }),
    } as unknown as Span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) } as never);
  propagation.setGlobalPropagator({
    inject: (active, carrier, setter) => {
      const { traceId, spanId } = trace.getSpanContext(active)!;
      setter.set(carrier, "traceparent", `00-${traceId}-${spanId}-01`);
    },
    extract: (active) => active,
    fields: () => ["traceparent"],
  });
  return spans;
}

afterEach(() => {
  trace.disable();
  propagation.disable();
});

const server = new URL("https://10.0.0.1:6443");
const request = { method: "GET", path: "/api/v1/namespaces/shop/pods", headers: { accept: "a" } } as const;

describe("client tracing", () => {
  it("makes a span of a call, and lets the server join it", async () => {
    const spans = recordSpans();
    const { transport, requests } = scripted({});
    await tracing({ trace, context, propagation }, server)(transport)(request);
    expect(spans).toEqual([
      {
        name: "list pods",
        attributes: {
          "http.request.method": "GET",
          "http.response.status_code": 200,
          "k8s.namespace.name": "shop",
          "server.address": "10.0.0.1",
          "server.port": 6443,
          "url.full": "https://10.0.0.1:6443/api/v1/namespaces/shop/pods",
        },
        ended: true,
      },
    ]);
    expect(requests[0]!.headers).toEqual({
      accept: "a",
      traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
    });
  });

  it("marks what failed", async () => {
    const spans = recordSpans();
    const { transport } = scripted(failed(404, "NotFound"), new ConnectionError("lost", "closed"));
    const traced = tracing({ trace, context, propagation }, server)(transport);
    await traced(request);
    await expect(traced(request)).rejects.toThrow("lost");
    expect(spans).toMatchObject([
      { status: { code: 2 }, attributes: { "http.response.status_code": 404 }, ended: true },
      { status: { code: 2, message: "lost" }, attributes: { "error.type": "ConnectionError" }, ended: true },
    ]);
  });

  it("begins by itself once the application registers a tracer", async () => {
    const registry = Symbol.for("opentelemetry.js.api.1");
    const before = Object.getOwnPropertyDescriptor(globalThis, registry);
    Reflect.deleteProperty(globalThis, registry);
    const { transport } = scripted({});
    const traced = tracingWhenUsed(server)(transport);
    await traced(request);
    if (before) Object.defineProperty(globalThis, registry, before);
    const spans = recordSpans();
    await traced(request);
    expect(spans).toMatchObject([{ name: "list pods", ended: true }]);
  });
});
