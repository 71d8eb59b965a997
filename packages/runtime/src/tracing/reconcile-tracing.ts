// One OpenTelemetry span a reconcile; requests its client makes meanwhile are its children. Only the part of the API that is
// used is described here, so that only programs that trace need the package.
import type { Outcome } from "../controller/outcome.js";
import type { ReconcileTracer, TracedRun } from "../controller/reconcile-tracer.js";

/** The part of `@opentelemetry/api` that is used. */
export interface TracingApi {
  readonly trace: {
    getTracer(name: string): Tracer;
    setSpan(context: unknown, span: Span): unknown;
  };
  readonly context: { active(): unknown; with<T>(context: unknown, work: () => T): T };
}

interface Tracer {
  startSpan(name: string, options: object, context: unknown): Span;
}

interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): unknown;
  end(): void;
}

const internalKind = 0;
const errorStatus = 2;
/** Set by `@opentelemetry/api` when an application registers a tracer. */
const registry = Symbol.for("opentelemetry.js.api.1");

export class ReconcileTracing implements ReconcileTracer {
  #api: TracingApi | undefined;
  #isAsked = false;
  readonly #onError: (error: unknown) => void;

  /** Without an API, spans are made once the application registers a tracer. */
  constructor(api: TracingApi | undefined, onError: (error: unknown) => void) {
    this.#api = api;
    this.#onError = onError;
  }

  /** Asked before each reconcile: without a tracer that is all there is to it. */
  get isOn(): boolean {
    if (this.#api) return true;
    if (!this.#isAsked && registry in globalThis) {
      this.#isAsked = true;
      findOpenTelemetry().then((api) => {
        this.#api = api;
      }, this.#onError);
    }
    return false;
  }

  /** Runs a reconcile inside a span. */
  async around(
    controller: string,
    kind: string,
    run: TracedRun,
    work: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const api = this.#api;
    if (!api) return work();
    const parent = api.context.active();
    const options = { kind: internalKind, attributes: attributesOf(controller, kind, run) };
    const span = api.trace
      .getTracer("@kubewright/runtime")
      .startSpan(`reconcile ${controller}`, options, parent);
    try {
      const outcome = await api.context.with(api.trace.setSpan(parent, span), work);
      describe(span, outcome, run);
      return outcome;
    } finally {
      span.end();
    }
  }
}

function attributesOf(controller: string, kind: string, { key, reasons }: TracedRun) {
  const slash = key.indexOf("/");
  return {
    "kubewright.controller": controller,
    "kubewright.kind": kind,
    "kubewright.key": key,
    "kubewright.reasons": reasons,
    ...(slash > 0 && { "k8s.namespace.name": key.slice(0, slash) }),
  };
}

function describe(span: Span, outcome: Outcome, { writes, knownID }: TracedRun): void {
  span.setAttribute("kubewright.outcome", outcome.kind);
  span.setAttribute("kubewright.writes", writes.length);
  if (knownID !== undefined) span.setAttribute("kubewright.reconcile_id", knownID);
  if (outcome.kind === "success" && outcome.requeueAfter !== undefined)
    span.setAttribute("kubewright.requeue_after_ms", outcome.requeueAfter);
  if (!("error" in outcome)) return;
  const error = outcome.error instanceof Error ? outcome.error : new Error(String(outcome.error));
  span.recordException(error);
  span.setStatus({ code: errorStatus, message: error.message });
}

async function findOpenTelemetry(): Promise<TracingApi | undefined> {
  const name = "@opentelemetry/api";
  const found: unknown = await import(name).catch(() => undefined);
  return isTracingApi(found) ? found : undefined;
}

function isTracingApi(value: unknown): value is TracingApi {
  return typeof value === "object" && value !== null && "trace" in value && "context" in value;
}
