// What must not matter: requests that fail, answers that are lost, a process that dies between any two writes, leadership
// that ends in the middle, code that never returns, floods.
import { ConfigMap, CustomResourceDefinition, systemClock, VirtualClock } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import {
  channel,
  defineController,
  defineManager,
  type RunningManager,
  type StartOptions,
  startManager,
} from "@kubewright/runtime";
import { describe, expect, test, vi } from "vitest";
import { Box, boxNamed, copiesOf, Harness, type Interference, namespace } from "./harness.js";

/** Writes of every sort: finalizer, children, pruning, status, an event, and something outside the cluster. */
function operator(outside: Set<string>) {
  return defineController(Box, {
    owns: [ConfigMap],
    async reconcile(box, ctx) {
      outside.add(box.metadata.name!);
      for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
      const pruned = await ctx.prune();
      if (pruned > 0) ctx.event({ reason: "Pruned", note: `${pruned} copies` });
      ctx.status({
        ready: ctx.children(ConfigMap).length,
        conditions: [{ type: "Ready", status: "True", reason: "AllThere" }],
      });
    },
    finalize: (box) => void outside.delete(box.metadata.name!),
  });
}

/** A life: made, changed, deleted. `between` is called wherever the outside world pauses. Returns what was to be seen. */
async function live(harness: Harness, outside: Set<string>, between: () => Promise<void>) {
  const { client } = harness;
  await client.create(Box, boxNamed("a", { copies: 3 }));
  await client.create(Box, boxNamed("b", { copies: 1 }));
  await between();
  const grown = await view(harness, outside);
  await client.patch(Box, "a", { merge: { spec: { text: "bye", copies: 1 } } }, { namespace });
  await client.delete(Box, "b", { namespace });
  await between();
  // Without a garbage collector nobody else removes the children of what was deleted.
  return { grown, shrunk: await view(harness, outside) };
}

async function view(harness: Harness, outside: Set<string>) {
  const { items } = await harness.client.list(Box, { namespace });
  return {
    boxes: items.map(({ metadata, status }) => ({
      name: metadata.name,
      finalizers: metadata.finalizers,
      ready: status?.ready,
      observed: status?.observedGeneration,
      conditions: status?.conditions?.map(({ type, status: value }) => `${type}=${value}`),
    })),
    texts: await harness.texts(),
    outside: [...outside].sort(),
  };
}

/** What is to be seen when nothing goes wrong, and how many writes that takes. */
async function undisturbed() {
  await using harness = await Harness.start();
  const outside = new Set<string>();
  await harness.manage([operator(outside)]);
  const seen = await live(harness, outside, () => harness.clock.advance(60_000));
  expect(harness.errors).toEqual([]);
  return { seen, writes: harness.writes.length };
}

const isWrite: (seen: Parameters<Interference>[0]) => boolean = ({ verb }) => verb === "write";

describe("the same end", () => {
  test("without faults is the one expected", async () => {
    const { seen } = await undisturbed();
    expect(seen).toEqual({
      grown: {
        boxes: ["a", "b"].map((name) => ({
          name,
          finalizers: ["example.com/box"],
          ready: name === "a" ? 3 : 1,
          observed: 1,
          conditions: ["Ready=True"],
        })),
        texts: { "a-0": "hello", "a-1": "hello", "a-2": "hello", "b-0": "hello" },
        outside: ["a", "b"],
      },
      shrunk: {
        boxes: [
          { name: "a", finalizers: ["example.com/box"], ready: 1, observed: 2, conditions: ["Ready=True"] },
        ],
        texts: { "a-0": "bye", "b-0": "hello" },
        outside: ["a"],
      },
    });
  });

  test.each(["fail", "drop", "lose the answer"] as const)(
    "whichever write comes to grief (%s)",
    async (fate) => {
      const { seen, writes } = await undisturbed();
      expect(writes).toBeGreaterThan(12);
      for (let nth = 1; nth <= writes; nth++) {
        await using harness = await Harness.start();
        const outside = new Set<string>();
        let count = 0;
        harness.interfere = (request) => (isWrite(request) && ++count === nth ? fate : undefined);
        await harness.manage([operator(outside)]);
        const ended = await live(harness, outside, () => harness.clock.advance(60_000));
        expect(ended, `write ${nth}`).toEqual(seen);
      }
    },
  );

  test.each(["drop", "lose the answer"] as const)(
    "wherever the process dies and another takes over (%s)",
    async (fate) => {
      const { seen, writes } = await undisturbed();
      for (let nth = 1; nth <= writes; nth++) {
        await using harness = await Harness.start();
        const outside = new Set<string>();
        let count = 0;
        let isDead = false;
        const dying: Interference = (request) => {
          if (isDead) return "drop";
          if (!isWrite(request) || ++count < nth) return undefined;
          isDead = true;
          return fate;
        };
        const manager = await die(harness, operator(outside), dying);
        const ended = await live(harness, outside, async () => {
          await harness.clock.advance(60_000);
          if (!isDead) return;
          // Whatever the old process still wants to do, nothing of it gets through.
          await manager.next(operator(outside));
          await harness.clock.advance(60_000);
        });
        expect(ended, `death at write ${nth}`).toEqual(seen);
      }
    },
  );
});

/** Starts a manager on a wire of its own that will be cut, and one on a sound wire when asked. */
async function die(harness: Harness, first: ReturnType<typeof operator>, dying: Interference) {
  let isReplaced = false;
  harness.interfere = dying;
  await harness.manage([first]);
  return {
    async next(second: ReturnType<typeof operator>): Promise<void> {
      if (isReplaced) return;
      isReplaced = true;
      harness.interfere = ({ userAgent, ...request }) =>
        userAgent === "second" ? undefined : dying({ userAgent, ...request });
      await harness.manage([second], { client: harness.wire("second") });
    },
  };
}

describe("leadership", () => {
  const electing = { manager: { leaderElection: { namespace, leaseName: "test" } } };

  /** Applies its children slowly, noting who did it. */
  function slowly(who: string, log: string[], pause = 4_000) {
    return defineController(Box, {
      owns: [ConfigMap],
      async reconcile(box, ctx) {
        log.push(`${who} begins`);
        for (const copy of copiesOf(box)) {
          await ctx.sleep(pause);
          await ctx.apply(ConfigMap, copy);
          log.push(`${who} made ${copy.metadata.name}`);
        }
      },
    });
  }

  test("lost in the middle of a reconcile ends its writes before another begins", async () => {
    await using harness = await Harness.start();
    const log: string[] = [];
    const start = (who: string) =>
      harness.manage([slowly(who, log)], { ...electing, client: harness.wire(who), identity: who });
    const first = await start("first");
    await harness.clock.advance(100);
    const second = await start("second");
    await harness.client.create(Box, boxNamed("a", { copies: 8 }));
    await harness.clock.advance(9_000);
    expect([first.isLeader, second.isLeader]).toEqual([true, false]);
    harness.interfere = ({ userAgent, path }) =>
      userAgent === "first" && path.includes("/leases/") ? "hang" : undefined;
    let overlap = 0;
    for (let time = 0; time < 60_000; time += 100) {
      await harness.clock.advance(100);
      if (first.isLeader && second.isLeader) overlap += 1;
    }
    expect(overlap).toBe(0);
    expect([first.isLeader, second.isLeader]).toEqual([false, true]);
    const handover = log.indexOf("second begins");
    expect(log.slice(handover).filter((line) => line.startsWith("first"))).toEqual([]);
    expect(Object.keys(await harness.texts())).toHaveLength(8);
    const writers = harness.writes
      .filter(({ path }) => path.includes("/configmaps/"))
      .map(({ userAgent }) => userAgent);
    expect(writers.join(" ")).toMatch(/^(first ?)+(second ?)+$/);
  });

  test("lost and won again goes on where others left off", async () => {
    await using harness = await Harness.start();
    const log: string[] = [];
    const only = await harness.manage([slowly("only", log, 100)], { ...electing, identity: "only" });
    await harness.clock.advance(100);
    await harness.client.create(Box, boxNamed("a"));
    await harness.clock.advance(1_000);
    harness.interfere = ({ path }) => (path.includes("/leases/") ? "fail" : undefined);
    await harness.clock.advance(15_000);
    expect(only.isLeader).toBe(false);
    await harness.client.create(Box, boxNamed("b"));
    await harness.clock.advance(5_000);
    expect(Object.keys(await harness.texts())).toEqual(["a-0"]);
    harness.interfere = () => undefined;
    await harness.clock.advance(30_000);
    expect(only.isLeader).toBe(true);
    expect(Object.keys(await harness.texts())).toEqual(["a-0", "b-0"]);
  });

  test("is given back on a clean stop, so that the next need not wait", async () => {
    await using harness = await Harness.start();
    const log: string[] = [];
    const first = await harness.manage([slowly("first", log)], { ...electing, identity: "first" });
    await harness.clock.advance(100);
    const second = await harness.manage([slowly("second", log)], { ...electing, identity: "second" });
    await harness.clock.advance(5_000);
    expect([first.isLeader, second.isLeader]).toEqual([true, false]);
    await harness.clock.runUntilSettled(first.close());
    await harness.clock.advance(2_500);
    expect(second.isLeader).toBe(true);
  });

  test("is not needed by controllers that run everywhere; those that warm up begin at once", async () => {
    await using harness = await Harness.start();
    const calls: string[] = [];
    const controllers = (who: string) => [
      defineController(Box, {
        name: "everywhere",
        everywhere: true,
        reconcile: () => void calls.push(`${who} everywhere`),
      }),
      defineController(Box, {
        name: "elected",
        warmUp: true,
        reconcile: () => void calls.push(`${who} elected`),
      }),
    ];
    await harness.client.create(Box, boxNamed("a"));
    const first = await harness.manage(controllers("first"), { ...electing, identity: "first" });
    await harness.clock.advance(100);
    await harness.manage(controllers("second"), { ...electing, identity: "second" });
    await harness.clock.advance(5_000);
    expect(calls).toEqual(["first everywhere", "first elected", "second everywhere"]);
    await harness.clock.runUntilSettled(first.close());
    await harness.clock.advance(5_000);
    expect(calls.slice(3)).toEqual(["second elected"]);
  });
});

describe("code that never returns", () => {
  async function withBox(run: (options: StartOptions) => Promise<RunningManager>) {
    await using cluster = await startCluster({ nodes: 0, controllers: "none" });
    const { client } = cluster;
    await client.create(CustomResourceDefinition, Box.crd());
    await vi.waitFor(() => client.create(Box, boxNamed("stuck")));
    await client.create(Box, boxNamed("fine"));
    const manager = await run({ client, clock: systemClock, preflight: "off", shutdownTimeout: 10 });
    await manager.close();
  }

  test("is abandoned when its time is up, can write no more, and holds up nobody for longer", async () => {
    const calls: string[] = [];
    const late: Promise<unknown>[] = [];
    const errors: string[] = [];
    let release: () => void = () => undefined;
    const controller = defineController(Box, {
      owns: [ConfigMap],
      timeout: 20,
      async reconcile(box, ctx) {
        const name = box.metadata.name!;
        calls.push(name);
        if (name !== "stuck" || calls.filter((call) => call === "stuck").length > 1) return;
        late.push(
          new Promise<void>((resolve) => {
            release = resolve;
          }).then(() => ctx.apply(ConfigMap, { metadata: { name: "late" } })),
        );
        await new Promise(() => undefined);
      },
    });
    await withBox(async (options) => {
      const onError = (_: string, error: unknown) => errors.push(String(error));
      const manager = await startManager(defineManager({ name: "test", controllers: [controller] }), {
        ...options,
        onError,
      });
      await vi.waitFor(() => expect(calls.toSorted()).toEqual(["fine", "stuck", "stuck"]));
      release();
      await expect(late[0]).rejects.toThrow("took longer than 20 ms");
      return manager;
    });
    expect(errors).toEqual(["TimeoutError: Box default/stuck: reconcile took longer than 20 ms"]);
  });

  test("is left behind when the manager stops", async () => {
    let signal: AbortSignal | undefined;
    const controller = defineController(Box, {
      async reconcile(_, ctx) {
        signal = ctx.signal;
        await new Promise(() => undefined);
      },
    });
    await withBox(async (options) => {
      const manager = await startManager(defineManager({ name: "test", controllers: [controller] }), options);
      await vi.waitFor(() => expect(signal).toBeDefined());
      return manager;
    });
    expect(signal?.aborted).toBe(true);
  });
});

describe("a flood of 100,000 events in a second for one key", () => {
  async function flood(reconcile: () => void) {
    const clock = new VirtualClock();
    await using harness = await Harness.start(clock);
    const pokes = channel("pokes");
    await harness.manage([defineController(Box, { sources: [pokes], reconcile })]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    for (let tick = 0; tick < 100; tick++) {
      for (let index = 0; index < 1_000; index++) pokes.send(`${namespace}/a`);
      await clock.advance(10);
    }
    await clock.advance(10);
  }

  test("is a reconcile for each moment the key was free", async () => {
    let count = 0;
    await flood(() => void count++);
    expect(count).toBeGreaterThan(90);
    expect(count).toBeLessThanOrEqual(2 * 101);
  });

  test("does not hurry a key that fails", async () => {
    let count = 0;
    await flood(() => {
      count++;
      throw new Error("no");
    });
    expect(count).toBeLessThanOrEqual(10);
  });
});
