// Spans of reconciles, and of what they ask of the server.
import { AsyncLocalStorage } from "node:async_hooks";
import { ConfigMap } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { type Context, context, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness } from "../runtime-controllers/harness.js";

interface Recorded {
  readonly name: string;
  readonly parent: unknown;
  readonly attributes: Record<string, unknown>;
  status?: unknown;
  exception?: unknown;
  ended: boolean;
}

/** The real API, with a provider that keeps what it is told and a context that follows promises. */
function recordSpans(): Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (
    name: string,
    options: { attributes?: object } = {},
    parent = context.active(),
  ): Span => {
    const recorded: Recorded = {
      name,
      parent: trace.getSpan(parent)?.spanContext().spanId,
      attributes: { ...options.attributes },
      ended: false,
    };
    const spanId = String(spans.push(recorded)).padStart(16, "0");
    return {
      setAttribute: (key: string, value: unknown) => {
        recorded.attributes[key] = value;
      },
      setStatus: (status: unknown) => {
        recorded.status = status;
      },
      recordException: (exception: unknown) => {
        recorded.exception = exception;
      },
      end: () => {
        recorded.ended = true;
      },
      spanContext: () => ({ traceId: "1".repeat(32), spanId, traceFlags: 1 }),
    } as unknown as Span;
  };
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active: Context, work: () => unknown) => storage.run(active, work),
    bind: (_: Context, target: unknown) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  } as never);
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) } as never);
  return spans;
}

afterEach(() => {
  trace.disable();
  context.disable();
});

const controller = defineController(Box, {
  owns: [ConfigMap],
  concurrency: 1,
  backoff: { base: 60_000, max: 60_000 },
  async reconcile(box, ctx) {
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    const inner = trace.getTracer("test").startSpan("inner");
    inner.end();
    if (box.spec.text === "bad") throw new Error("this is bad");
  },
});

test("a reconcile is a span, and what happens inside belongs to it", async () => {
  const spans = recordSpans();
  await using harness = await Harness.start();
  await harness.client.create(Box, boxNamed("a"));
  await harness.client.create(Box, boxNamed("b", { text: "bad", copies: 0 }));
  await harness.manage([controller], { tracing: { trace, context } });
  await harness.settle();
  const first = spans.findIndex(({ name }) => name === "reconcile box");
  expect(spans[first]).toEqual({
    name: "reconcile box",
    parent: undefined,
    attributes: {
      "kubewright.controller": "box",
      "kubewright.kind": "Box",
      "kubewright.key": "default/a",
      "kubewright.reasons": ["Box default/a added"],
      "kubewright.outcome": "success",
      "kubewright.writes": 1,
      "k8s.namespace.name": "default",
    },
    ended: true,
  });
  expect(spans[first + 1]).toMatchObject({ name: "inner", parent: String(first + 1).padStart(16, "0") });
  expect(spans.find(({ status }) => status !== undefined)).toMatchObject({
    attributes: { "kubewright.key": "default/b", "kubewright.outcome": "failure" },
    status: { code: 2, message: "this is bad" },
    exception: new Error("this is bad"),
    ended: true,
  });
});

test("spans begin when the application registers a tracer, and not where they are not wanted", async () => {
  await using harness = await Harness.start();
  await harness.client.create(Box, boxNamed("a"));
  await harness.manage([controller]);
  await harness.manage([defineController(Box, { name: "untraced", reconcile: () => undefined })], {
    tracing: false,
  });
  await harness.settle();
  const spans = recordSpans();
  const touch = async (text: string): Promise<void> => {
    await harness.client.patch(Box, "a", { merge: { spec: { text } } }, { namespace: "default" });
    await harness.settle();
  };
  // The package is loaded in the background.
  let count = 0;
  await expect
    .poll(
      async () => {
        await touch(`text ${count++}`);
        return spans.map(({ name }) => name);
      },
      { timeout: 10_000 },
    )
    .toContain("reconcile box");
  const names = new Set(spans.map(({ name }) => name));
  expect(names).not.toContain("reconcile untraced");
});
