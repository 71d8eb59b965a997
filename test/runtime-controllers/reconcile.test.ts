// What a controller does for its author: children, status, results, and what it is woken by.
import { ApiError, ConfigMap, Secret, ServiceAccount, TerminalError } from "@kubewright/api";
import {
  annotationsChanged,
  anyOf,
  channel,
  defineController,
  ForeignChildError,
  generationChanged,
  interval,
  type Logger,
  owned,
  type ReconcileRecord,
  readOnly,
  stream,
  watch,
} from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "./harness.js";

/** Copies of a text, pruned. */
const boxes = defineController(Box, {
  owns: [ConfigMap],
  async reconcile(box, ctx) {
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    await ctx.prune();
    ctx.status({ ready: ctx.children(ConfigMap).length });
  },
});

describe("children", () => {
  test("are made, owned, changed, repaired and pruned", async () => {
    await using harness = await Harness.start();
    await harness.manage([boxes]);
    const { client } = harness;
    const box = await client.create(Box, boxNamed("a", { copies: 2 }));
    await harness.settle();
    expect(await harness.texts()).toEqual({ "a-0": "hello", "a-1": "hello" });
    const child = await client.get(ConfigMap, "a-0", { namespace });
    expect(child.metadata?.ownerReferences).toEqual([
      {
        apiVersion: "example.com/v1",
        kind: "Box",
        name: "a",
        uid: box.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    await client.patch(Box, "a", { merge: { spec: { text: "bye", copies: 3 } } }, { namespace });
    await harness.settle();
    expect(await harness.texts()).toEqual({ "a-0": "bye", "a-1": "bye", "a-2": "bye" });
    await client.patch(ConfigMap, "a-0", { merge: { data: { text: "theirs" } } }, { namespace });
    await client.delete(ConfigMap, "a-1", { namespace });
    await harness.settle();
    expect(await harness.texts()).toEqual({ "a-0": "bye", "a-1": "bye", "a-2": "bye" });
    await client.patch(Box, "a", { merge: { spec: { copies: 1 } } }, { namespace });
    await harness.settle();
    expect(await harness.texts()).toEqual({ "a-0": "bye" });
    expect((await harness.box()).status?.ready).toBe(1);
    expect(harness.errors).toEqual([]);
  });

  test("that a function returns without a name are refused with the kind and what is missing", async () => {
    await using harness = await Harness.start();
    const nameless = (): ConfigMap => ({ data: { text: "hello" } });
    await harness.manage([
      defineController(Box, {
        owns: [ConfigMap],
        reconcile: async (_, ctx) => void (await ctx.apply(ConfigMap, nameless())),
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await expect
      .poll(() => harness.errors.map(({ error }) => String(error)).join())
      .toContain("apply ConfigMap: a name is needed (metadata.name)");
  });

  test("yield fields to another field manager that changes them, without setting them back when they are first yielded", async () => {
    await using harness = await Harness.start();
    let yields: string[] = [];
    const boxController = defineController(Box, {
      owns: [ConfigMap],
      reconcile: async (box, ctx) =>
        void (await ctx.apply(
          ConfigMap,
          { metadata: { name: "a" }, data: { text: box.spec.text, scaled: "2" } },
          { yields },
        )),
    });
    const { client } = harness;
    const dataNow = async () => (await client.get(ConfigMap, "a", { namespace })).data;
    const touch = async (text: string) => {
      await client.patch(Box, "a", { merge: { spec: { text } } }, { namespace });
      await harness.settle();
    };
    await harness.manage([boxController]);
    await client.create(Box, boxNamed("a"));
    await harness.settle();
    yields = ["data.scaled"];
    await touch("yielding");
    expect(await dataNow()).toEqual({ text: "yielding", scaled: "2" });
    await client.patch(ConfigMap, "a", { merge: { data: { scaled: "9" } } }, { namespace });
    await touch("taken");
    expect(await dataNow()).toEqual({ text: "taken", scaled: "9" });
    yields = [];
    await touch("back");
    expect(await dataNow()).toEqual({ text: "back", scaled: "2" });
    expect(harness.errors).toEqual([]);
  });

  test("are not taken from anybody, nor from nobody where adoption is off", async () => {
    await using harness = await Harness.start();
    const { client } = harness;
    await client.create(ConfigMap, { metadata: { name: "a", namespace }, data: { text: "by hand" } });
    const seen: unknown[] = [];
    const careful = defineController(Box, {
      owns: [ConfigMap],
      reconcile: async (box, ctx) =>
        void (await ctx.apply(
          ConfigMap,
          { metadata: { name: "a" }, data: { text: box.spec.text } },
          { adopt: false },
        )),
      onError: (error) => void seen.push(error),
    });
    await harness.manage([careful]);
    await client.create(Box, boxNamed("a"));
    await harness.clock.advance(10);
    expect(seen[0]).toBeInstanceOf(ForeignChildError);
    expect(String(seen[0])).toContain(`ConfigMap ${namespace}/a has no controller`);
    expect((await client.get(ConfigMap, "a", { namespace })).data).toEqual({ text: "by hand" });
    await client.delete(ConfigMap, "a", { namespace });
    await client.patch(Box, "a", { merge: { spec: { text: "ours" } } }, { namespace });
    await harness.clock.advance(10_000);
    await harness.settle();
    expect((await client.get(ConfigMap, "a", { namespace })).data).toEqual({ text: "ours" });
  });

  test("lose the fields that are no longer declared, also after a restart", async () => {
    await using harness = await Harness.start();
    const withData = (data: Record<string, string>) =>
      defineController(Box, {
        owns: [ConfigMap],
        reconcile: async (box, ctx) =>
          void (await ctx.apply(ConfigMap, { metadata: { name: box.metadata.name! }, data })),
      });
    await harness.client.create(Box, boxNamed("a"));
    const first = await harness.manage([withData({ one: "1", two: "2" })]);
    await harness.settle();
    await first.close();
    await harness.client.patch(ConfigMap, "a", { merge: { data: { theirs: "3" } } }, { namespace });
    await harness.manage([withData({ one: "1" })]);
    await harness.settle();
    expect((await harness.client.get(ConfigMap, "a", { namespace })).data).toEqual({ one: "1", theirs: "3" });
  });

  test("that are settled cause no writes, whatever wakes the controller", async () => {
    await using harness = await Harness.start();
    const pokes = channel("pokes");
    await harness.manage([defineController(Box, { ...boxesOptions, sources: [pokes, interval(60_000)] })]);
    await harness.client.create(Box, boxNamed("a", { copies: 3 }));
    await harness.settle();
    const before = harness.writes.length;
    expect(before).toBeGreaterThan(3);
    pokes.send({ name: "a", namespace });
    await harness.clock.advance(3_600_000);
    expect(harness.writes.length).toBe(before);
    expect(reconciles).toBeGreaterThan(60);
  });

  test("of another controller are left alone", async () => {
    await using harness = await Harness.start();
    await harness.manage([boxes]);
    const owner = await harness.client.create(ServiceAccount, { metadata: { name: "other", namespace } });
    const reference = { apiVersion: "v1", kind: "ServiceAccount", name: "other", uid: owner.metadata!.uid! };
    await harness.client.create(ConfigMap, {
      metadata: { name: "a-0", namespace, ownerReferences: [{ ...reference, controller: true }] },
    });
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(String(harness.errors[0]?.error)).toContain(
      "ConfigMap default/a-0 is controlled by ServiceAccount other; it is left alone: delete it, or choose another name",
    );
  });

  test("that were there before, without an owner, are adopted; those of an earlier owner too", async () => {
    await using harness = await Harness.start();
    const { client } = harness;
    const orphan = { metadata: { name: "a-0", namespace, labels: { mine: "yes" } }, data: { other: "kept" } };
    await client.create(ConfigMap, orphan);
    await harness.manage([boxes]);
    const first = await client.create(Box, boxNamed("a"));
    await harness.settle();
    const ownersOf = async () =>
      (await client.get(ConfigMap, "a-0", { namespace })).metadata?.ownerReferences?.map(({ uid }) => uid);
    expect(await ownersOf()).toEqual([first.metadata.uid]);
    expect(await client.get(ConfigMap, "a-0", { namespace })).toMatchObject({
      metadata: { labels: { mine: "yes", box: "a" } },
      data: { other: "kept", text: "hello" },
    });
    await client.delete(Box, "a", { namespace });
    const second = await client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(await ownersOf()).toEqual([second.metadata.uid]);
    expect(harness.errors).toEqual([]);
  });

  test("that were orphaned are taken back where only orphans are adopted, and others are left alone", async () => {
    await using harness = await Harness.start();
    const boxes = defineController(Box, {
      owns: [ConfigMap],
      async reconcile(box, ctx) {
        for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy, { adopt: "orphans" });
      },
    });
    await harness.manage([boxes]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    const orphaned = { metadata: { ownerReferences: null } };
    const copies = () => harness.client.get(ConfigMap, "a-0", { namespace });
    const first = (await copies()).metadata?.uid;
    await harness.client.delete(Box, "a", { namespace });
    await harness.client.patch(ConfigMap, "a-0", { merge: orphaned as never }, { namespace });
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    const { metadata } = await copies();
    expect(metadata?.uid).toBe(first);
    expect(metadata?.ownerReferences).toMatchObject([{ uid: (await harness.box()).metadata.uid }]);
    expect(harness.errors).toEqual([]);
    await harness.client.create(ConfigMap, { metadata: { name: "b-0", namespace, labels: { box: "b" } } });
    await harness.client.create(Box, boxNamed("b"));
    await harness.settle();
    expect(harness.errors[0]?.error).toMatchObject({ name: "ForeignChildError" });
  });

  test("found by their labels are adopted, and let go again", async () => {
    await using harness = await Harness.start();
    const { client } = harness;
    const labels = { box: "a" };
    for (const name of ["one", "two"])
      await client.create(ConfigMap, { metadata: { name, namespace, labels } });
    await harness.manage([
      defineController(Box, {
        owns: [ConfigMap],
        async reconcile(box, ctx) {
          for (const found of await ctx.list(ConfigMap, {
            namespace,
            labelSelector: `box=${box.metadata.name}`,
          }))
            await ctx.adopt(ConfigMap, found);
          for (const child of ctx.children(ConfigMap))
            if (child.metadata?.labels?.["box"] !== box.metadata.name) await ctx.orphan(ConfigMap, child);
          ctx.status({ ready: ctx.children(ConfigMap).length });
        },
      }),
    ]);
    await client.create(Box, boxNamed("a"));
    await harness.settle();
    expect((await harness.box()).status?.ready).toBe(2);
    await client.patch(ConfigMap, "one", { merge: { metadata: { labels: { box: null } } } }, { namespace });
    await harness.settle();
    expect((await harness.box()).status?.ready).toBe(1);
    expect((await client.get(ConfigMap, "one", { namespace })).metadata?.ownerReferences).toBeUndefined();
    // What another controls is left alone.
    await client.create(Box, boxNamed("b"));
    await client.patch(ConfigMap, "two", { merge: { metadata: { labels: { box: "b" } } } }, { namespace });
    await harness.clock.advance(1_000);
    expect((await client.get(ConfigMap, "two", { namespace })).metadata?.ownerReferences).toMatchObject([
      { name: "b", controller: true },
    ]);
    expect(harness.errors).toEqual([]);
  });

  test("with generated names are found again", async () => {
    await using harness = await Harness.start();
    await harness.manage([
      defineController(Box, {
        owns: [ConfigMap],
        async reconcile(_, ctx) {
          if (ctx.children(ConfigMap).length === 0)
            await ctx.create(ConfigMap, { metadata: { generateName: "made-" }, data: { text: "x" } });
          expect(ctx.children(ConfigMap)).toHaveLength(1);
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.client.create(Box, boxNamed("b"));
    await harness.clock.advance(10_000);
    const { items } = await harness.client.list(ConfigMap, { namespace });
    expect(items.filter(({ metadata }) => metadata?.name?.startsWith("made-"))).toHaveLength(2);
    expect(harness.errors).toEqual([]);
  });
});

let reconciles = 0;
const boxesOptions = {
  owns: [ConfigMap],
  async reconcile(...[box, ctx]: Parameters<typeof boxes.reconcile>) {
    reconciles += 1;
    await boxes.reconcile(box, ctx);
  },
} as const;

describe("reading", () => {
  test("comes from caches and indexes where a kind is watched, else from the server, always when told", async () => {
    await using harness = await Harness.start();
    const seen: unknown[] = [];
    await harness.client.create(Secret, { metadata: { name: "s", namespace, labels: { color: "red" } } });
    await harness.client.create(ConfigMap, { metadata: { name: "c", namespace, labels: { color: "red" } } });
    let reads: () => number = () => 0;
    await harness.manage([
      defineController(Box, {
        watches: [
          watch(Secret, {
            targets: () => [],
            indexes: { color: ({ metadata }) => [metadata?.labels?.["color"] ?? ""] },
          }),
        ],
        uses: [readOnly(ConfigMap)],
        async reconcile(_, ctx) {
          const before = reads();
          const names = (objects: readonly (Secret | ConfigMap)[]) =>
            objects.map(({ metadata }) => metadata?.name);
          seen.push((await ctx.get(Secret, "s"))?.metadata?.name, await ctx.get(Secret, "none"));
          seen.push(names(await ctx.list(Secret, { labelSelector: "color=red" })));
          seen.push(names(ctx.byIndex(Secret, "color", "red")), reads() - before);
          seen.push((await ctx.get(Secret, "s", { live: true }))?.metadata?.name, reads() - before);
          seen.push((await ctx.get(ConfigMap, "c"))?.metadata?.name, reads() - before);
          seen.push(
            names(await ctx.list(ConfigMap, { namespace, labelSelector: "color" })),
            reads() - before,
          );
          expect(() => ctx.byIndex(ConfigMap, "color", "red")).toThrow("ConfigMap is not watched");
        },
      }),
    ]);
    reads = () => harness.requests.filter(({ verb }) => verb === "read").length;
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(seen).toEqual(["s", undefined, ["s"], ["s"], 0, "s", 1, "c", 2, ["c"], 3]);
    expect(harness.errors).toEqual([]);
  });

  test("shows what was just written", async () => {
    await using harness = await Harness.start();
    const seen: unknown[] = [];
    await harness.manage([
      defineController(Box, {
        owns: [ConfigMap],
        async reconcile(box, ctx) {
          const name = box.metadata.name!;
          await ctx.apply(ConfigMap, { metadata: { name }, data: { text: "new" } });
          seen.push((await ctx.get(ConfigMap, name))?.data, ctx.children(ConfigMap).length);
          await ctx.delete(ConfigMap, name);
          seen.push(await ctx.get(ConfigMap, name), ctx.children(ConfigMap).length);
          throw new TerminalError("once is enough");
        },
        when: ({ previous }) => previous === undefined,
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(seen.slice(0, 4)).toEqual([{ text: "new" }, 1, undefined, 0]);
  });
});

describe("declared kinds", () => {
  test("are the only ones that can be touched", async () => {
    await using harness = await Harness.start();
    const refusals: string[] = [];
    const attempt = async (work: () => unknown) => {
      try {
        await work();
      } catch (error) {
        refusals.push(String(error));
      }
    };
    await harness.manage([
      defineController(Box, {
        name: "strict",
        uses: [readOnly(Secret)],
        async reconcile(_, ctx) {
          // @ts-expect-error ConfigMap is not declared
          await attempt(() => ctx.apply(ConfigMap, { metadata: { name: "a" } }));
          // @ts-expect-error ConfigMap is not declared
          await attempt(() => ctx.get(ConfigMap, "a"));
          // @ts-expect-error Secret is declared for reading only
          await attempt(() => ctx.delete(Secret, "a"));
          expect(await ctx.get(Secret, "a")).toBeUndefined();
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(refusals).toEqual([
      'Error: controller strict: ConfigMap is not declared: add it to "owns", "watches" or "uses"',
      'Error: controller strict: ConfigMap is not declared: add it to "owns", "watches" or "uses"',
      'Error: controller strict: Secret is declared for reading only: add it to "owns" or "uses"',
    ]);
    expect(harness.errors).toEqual([]);
  });
});

describe("what wakes a controller", () => {
  /** A controller that only notes why it was called. */
  async function noting(harness: Harness, options: object = {}) {
    const calls: { name: string; reasons: readonly string[] }[] = [];
    await harness.manage([
      defineController(Box, {
        ...options,
        reconcile: (box, ctx) => void calls.push({ name: box.metadata.name!, reasons: ctx.reasons }),
      }),
    ]);
    return calls;
  }

  test("its objects, with the reason", async () => {
    await using harness = await Harness.start();
    const calls = await noting(harness);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    await harness.client.patch(Box, "a", { merge: { spec: { copies: 5 } } }, { namespace });
    await harness.settle();
    expect(calls).toEqual([
      { name: "a", reasons: ["Box default/a added"] },
      { name: "a", reasons: ["Box default/a changed"] },
    ]);
  });

  test("only changes its predicates let through", async () => {
    await using harness = await Harness.start();
    const calls = await noting(harness, { when: anyOf(generationChanged, annotationsChanged) });
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    const change = async (merge: object, subresource?: string) => {
      await harness.client.patch(Box, "a", { merge }, { namespace, subresource });
      await harness.settle();
      return calls.length;
    };
    expect(await change({ metadata: { labels: { x: "y" } } })).toBe(1);
    expect(await change({ status: { note: "x" } }, "status")).toBe(1);
    expect(await change({ metadata: { annotations: { x: "y" } } })).toBe(2);
    expect(await change({ spec: { text: "new" } })).toBe(3);
  });

  test("objects it refers to, before and after a change", async () => {
    await using harness = await Harness.start();
    for (const [name, secret] of [
      ["a", "red"],
      ["b", "blue"],
    ] as const)
      await harness.client.create(Box, boxNamed(name, { secret }));
    const calls = await noting(harness, {
      indexes: { secret: (box: Box) => (box.spec.secret ? [box.spec.secret] : []) },
      watches: [
        watch(Secret, {
          targets: (secret, own) => own.byIndex("secret", secret.metadata?.labels?.["color"] ?? ""),
        }),
      ],
    });
    await harness.settle();
    calls.length = 0;
    await harness.client.create(Secret, { metadata: { name: "s", namespace, labels: { color: "red" } } });
    await harness.settle();
    expect(calls).toEqual([{ name: "a", reasons: ["Secret default/s added"] }]);
    await harness.client.patch(
      Secret,
      "s",
      { merge: { metadata: { labels: { color: "blue" } } } },
      { namespace },
    );
    await harness.settle();
    expect(calls.slice(1).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("a channel, a timer and a stream that breaks", async () => {
    await using harness = await Harness.start();
    await harness.client.create(Box, boxNamed("a"));
    const pokes = channel("pokes");
    let opened = 0;
    async function* messages() {
      opened += 1;
      yield "a";
      throw new Error("broken pipe");
    }
    const calls = await noting(harness, {
      sources: [
        pokes,
        interval(60_000, "each minute"),
        stream("messages", messages, (name) => [{ name, namespace }]),
      ],
    });
    await harness.settle();
    expect(calls.map(({ reasons }) => reasons)).toEqual([["Box default/a added"], ["messages"]]);
    pokes.send(`${namespace}/a`);
    await harness.settle();
    expect(calls.at(-1)?.reasons).toEqual(["pokes"]);
    await harness.clock.advance(1_000);
    expect(opened).toBe(2);
    expect(String(harness.errors[0]?.error)).toContain("broken pipe");
    await harness.clock.advance(59_000);
    expect(calls.at(-1)?.reasons).toEqual(["each minute"]);
  });

  test("only namespaces and labels it asked for", async () => {
    await using harness = await Harness.start();
    const calls = await noting(harness, {
      namespaces: ["default", "kube-public"],
      labelSelector: "tier=gold",
    });
    for (const [name, place, tier] of [
      ["a", "default", "gold"],
      ["b", "default", "tin"],
      ["c", "kube-public", "gold"],
      ["d", "kube-system", "gold"],
    ] as const)
      await harness.client.create(Box, { metadata: { name, namespace: place, labels: { tier } }, spec: {} });
    await harness.settle();
    expect(calls.map(({ name }) => name).sort()).toEqual(["a", "c"]);
  });

  test("only those changes of its children that count", async () => {
    await using harness = await Harness.start();
    let count = 0;
    await harness.manage([
      defineController(Box, {
        owns: [owned(ConfigMap, { when: ({ current }) => current === undefined })],
        async reconcile(box, ctx) {
          count += 1;
          for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(count).toBe(1);
    await harness.client.patch(ConfigMap, "a-0", { merge: { data: { more: "x" } } }, { namespace });
    await harness.settle();
    expect(count).toBe(1);
    await harness.client.delete(ConfigMap, "a-0", { namespace });
    await harness.settle();
    expect(count).toBe(2);
    expect(await harness.texts()).toEqual({ "a-0": "hello" });
  });
});

describe("results", () => {
  test("requeueAfter looks again after that time", async () => {
    await using harness = await Harness.start();
    const times: number[] = [];
    await harness.manage([
      defineController(Box, {
        reconcile: () => {
          times.push(harness.clock.monotonic());
          return { requeueAfter: 30_000 };
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.clock.advance(90_000);
    expect(times).toEqual([0, 30_000, 60_000, 90_000]);
  });

  test.each([
    ["an ordinary error backs off", new Error("out of luck"), [0, 5, 15, 35, 75, 155], 6],
    ["a TerminalError waits for a change", new TerminalError("never"), [0], 1],
    [
      "a conflict is a quiet retry",
      new ApiError("changed", { code: 409, reason: "Conflict" }),
      [0, 5, 15, 35, 75, 155],
      0,
    ],
  ])("%s", async (_, error, expected, reports) => {
    await using harness = await Harness.start();
    const times: number[] = [];
    await harness.manage([
      defineController(Box, {
        // The condition that reports the failure is a change too.
        when: generationChanged,
        reconcile: () => {
          times.push(harness.clock.monotonic());
          throw error;
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.clock.advance(300);
    expect(times).toEqual(expected);
    expect(harness.errors).toHaveLength(reports);
    const loud = harness.logs.filter(
      ({ level, message }) => level === "error" && message === "reconcile failed",
    );
    expect(loud).toHaveLength(reports);
    const before = times.length;
    await harness.client.patch(Box, "a", { merge: { spec: { text: "new" } } }, { namespace });
    await harness.clock.advance(1_000);
    expect(times.length).toBeGreaterThan(before);
  });

  test("onError: the status it returns is written, and what reconcile had set before it failed", async () => {
    await using harness = await Harness.start();
    let isBroken = true;
    await harness.manage([
      defineController(Box, {
        reconcile(_, ctx) {
          ctx.status({ ready: 7 });
          if (isBroken) throw new Error("no disk");
          ctx.status({ conditions: [{ type: "Healthy", status: "True", reason: "Fine" }] });
        },
        onError: (error) => ({
          conditions: [{ type: "Healthy", status: "False", reason: "Failed", message: String(error) }],
        }),
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.clock.advance(10);
    const broken = (await harness.box()).status;
    expect(broken).toMatchObject({
      ready: 7,
      observedGeneration: 1,
      conditions: [{ type: "Healthy", status: "False", message: "Error: no disk", observedGeneration: 1 }],
    });
    isBroken = false;
    await harness.clock.advance(5_000);
    expect((await harness.box()).status).toMatchObject({ conditions: [{ type: "Healthy", status: "True" }] });
  });

  test("errors of observers end nothing", async () => {
    await using harness = await Harness.start();
    const calls: string[] = [];
    const broken = (): never => {
      throw new Error("broken listener");
    };
    const log: Logger = {
      debug: broken,
      info: () => undefined,
      warn: broken,
      error: broken,
      with: () => log,
    };
    const records: ReconcileRecord[] = [];
    await harness.manage(
      [
        defineController(Box, {
          reconcile(box) {
            calls.push(box.metadata.name!);
            if (box.metadata.name === "bad") throw new Error("bad");
          },
        }),
      ],
      { log, onError: broken, observer: { reconciled: (record) => void records.push(record) } },
    );
    await harness.client.create(Box, boxNamed("bad"));
    await harness.settle();
    await harness.client.create(Box, boxNamed("good"));
    await harness.clock.advance(1);
    expect(calls).toEqual(["bad", "good"]);
    expect(records).toMatchObject([
      {
        controller: "box",
        key: "default/good",
        reasons: ["Box default/good added"],
        outcome: { kind: "success" },
      },
    ]);
  });

  test("logs say which controller, object and reconcile", async () => {
    await using harness = await Harness.start();
    await harness.manage(
      [defineController(Box, { reconcile: (_, ctx) => ctx.log.info("working", { step: 1 }) })],
      { newId: () => "id-1" },
    );
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(harness.logs.find(({ message }) => message === "working")?.fields).toEqual({
      manager: "test",
      controller: "box",
      namespace,
      name: "a",
      reconcileID: "id-1",
      step: 1,
    });
  });
});
