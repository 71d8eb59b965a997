// A server that takes a request and never answers it: the client gives up in time, and leaves nothing on the wire.
import { ConfigMap, CustomResourceDefinition, Secret, systemClock } from "@kubewright/api";
import { Client, wrapTransport } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import {
  type ControllerDefinition,
  defineController,
  defineManager,
  type ReconcileContext,
  readOnly,
  startManager,
} from "@kubewright/runtime";
import { describe, expect, test, vi } from "vitest";
import { Box, boxNamed, Harness, namespace } from "./harness.js";

type Context = ReconcileContext<typeof Box, typeof ConfigMap | typeof Secret, typeof ConfigMap>;

/** What a reconcile asks for, and the request that is not answered. */
const cases: Record<string, { ask?: (ctx: Context) => unknown; isMeant: RegExp }> = {
  "a status": { isMeant: /^PATCH .*\/boxes\/a\/status/ },
  "an apply": {
    ask: (ctx) => ctx.apply(ConfigMap, { metadata: { name: "child" } }),
    isMeant: /^PATCH .*\/configmaps\/child/,
  },
  "a creation": {
    ask: (ctx) => ctx.create(ConfigMap, { metadata: { generateName: "child-" } }),
    isMeant: /^POST .*\/configmaps/,
  },
  "a live read": { ask: (ctx) => ctx.get(Secret, "s", { live: true }), isMeant: /^GET .*\/secrets\/s/ },
  "a live list": {
    ask: (ctx) => ctx.list(Secret, { namespace, live: true }),
    isMeant: /^GET .*\/secrets$/,
  },
  "a read of what is not cached": { ask: (ctx) => ctx.get(Secret, "s"), isMeant: /^GET .*\/secrets\/s/ },
  "a finalizer": { isMeant: /^PATCH .*\/boxes\/a$/ },
};

/** Runs a controller in real time, on a wire where the first request that is meant is not answered; returns its signal. */
async function firstUnanswered(
  controller: ControllerDefinition,
  isMeant: RegExp,
  until: (client: Client) => Promise<void>,
): Promise<AbortSignal | undefined> {
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  await cluster.client.create(CustomResourceDefinition, Box.crd());
  await vi.waitFor(() => cluster.client.create(Box, boxNamed("a")), { timeout: 10_000 });
  let hung: AbortSignal | undefined;
  const transport = wrapTransport(cluster.server.transport(), [
    (next) => (request) => {
      const { method, path, signal } = request;
      if (hung || !isMeant.test(`${method} ${path}`)) return next(request);
      hung = signal;
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  ]);
  const client = new Client({ transport, clock: systemClock });
  // One slot: the next reconcile can send nothing unless the request that hangs has released it.
  const definition = defineManager({ name: "test", controllers: [controller], maxInFlight: 1 });
  await using _manager = await startManager(definition, {
    client,
    preflight: "off",
    onError: () => undefined,
  });
  await until(cluster.client);
  return hung;
}

describe("a request that is not answered", () => {
  test.each(Object.entries(cases))(
    "for %s ends with its reconcile, and the next one asks again",
    async (_what, { ask, isMeant }) => {
      const controller = defineController(Box, {
        owns: [ConfigMap],
        uses: [readOnly(Secret)],
        timeout: 200,
        finalize: () => undefined,
        async reconcile(_box, ctx) {
          await ask?.(ctx);
          ctx.status({ ready: 1 });
        },
      });
      const hung = await firstUnanswered(controller, isMeant, (client) =>
        vi.waitFor(async () => expect((await client.get(Box, "a", { namespace })).status?.ready).toBe(1), {
          timeout: 20_000,
          interval: 20,
        }),
      );
      expect(hung?.aborted).toBe(true);
      expect(String(hung?.reason)).toContain("reconcile took longer than 200 ms");
    },
  );

  test("for what is said of a reconcile that was ended is given up after a minute", async () => {
    await using harness = await Harness.start();
    const hung: (AbortSignal | undefined)[] = [];
    const controller = defineController(Box, {
      timeout: 1_000,
      reconcile: (_box, ctx) => ctx.sleep(3_600_000),
      onError: () => ({ note: "it took too long" }),
    });
    harness.interfere = ({ path, signal }) => {
      if (!path.endsWith("/status")) return undefined;
      hung.push(signal);
      return "hang";
    };
    await harness.manage([controller]);
    await harness.client.create(Box, boxNamed("a"));
    // The second failure in a row is reported.
    await harness.clock.advance(3_000);
    expect(hung[0]?.aborted).toBe(false);
    await harness.clock.advance(60_000);
    expect(hung[0]?.aborted).toBe(true);
  });
});
