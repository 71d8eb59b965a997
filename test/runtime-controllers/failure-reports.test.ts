// A failing reconcile shows in a condition and an event, without a line of its author's code.
import {
  ApiError,
  ConfigMap,
  CustomResourceDefinition,
  EventsV1Event,
  type KubeObject,
  TerminalError,
} from "@kubewright/api";
import { type ControllerDefinition, defineController, generationChanged } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, Harness, namespace } from "./harness.js";

const conflict = new ApiError("changed meanwhile", { code: 409, reason: "Conflict" });
const quota = new ApiError('jobs "a" is forbidden: exceeded quota', { code: 403, reason: "Forbidden" });

/** A controller whose attempts fail as listed; undefined succeeds, and so do all after the last. */
const failing = (errors: readonly (Error | undefined)[], options: { onError?: () => object } = {}) => {
  let attempt = 0;
  return defineController(Box, {
    reconcile() {
      const error = errors[attempt++];
      if (error) throw error;
    },
    ...options,
  } as Parameters<typeof defineController<typeof Box>>[1]);
};

/** Runs a controller for a while; returns the states the condition went through, and the events there are. */
async function reported(controller: ControllerDefinition, type = "ReconcileFailed", milliseconds = 60_000) {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  await harness.manage([controller]);
  await client.create(Box, boxNamed("a"));
  const states: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { object } of client.watch(Box, { namespace, signal: stop.signal })) {
      const condition = object.status?.conditions?.find((each) => each.type === type);
      if (!condition) continue;
      const state = `${condition.status} ${condition.reason}: ${condition.message}`;
      if (states.at(-1) !== state) states.push(state);
    }
  })().catch(() => undefined);
  await clock.advance(milliseconds);
  const { items } = await client.list(EventsV1Event, { namespace });
  stop.abort();
  await watching;
  return {
    states,
    events: items.map(({ type: kind, reason, note }) => `${kind} ${reason}: ${note}`),
    harness,
  };
}

describe("ReconcileFailed", () => {
  test("ReconcileFailed: a failing reconcile sets the condition and an event, and success clears the condition", async () => {
    const { states, events } = await reported(failing([quota, quota, quota]));
    expect(states).toEqual([`True Forbidden: ${quota.message}`, "False ReconcileSucceeded: "]);
    expect(events).toEqual([`Warning ReconcileFailed: ${quota.message}`]);
  });

  test.each([
    ["a single error", [new Error("blip")]],
    ["single errors with successes between them", [undefined, new Error("blip")]],
    ["conflicts, however many", [conflict, conflict, conflict, conflict]],
    ["a conflict before a single error", [conflict, new Error("blip")]],
  ])("ReconcileFailed: %s is not reported", async (_, errors) => {
    expect(await reported(failing(errors))).toMatchObject({ states: [], events: [] });
  });

  test("ReconcileFailed: a TerminalError is reported at once", async () => {
    const { states, events } = await reported(
      failing(Array.from({ length: 3 }, () => new TerminalError("no such zone"))),
    );
    expect(states).toEqual(["True TerminalError: no such zone"]);
    expect(events).toHaveLength(1);
  });

  test("ReconcileFailed: an attempt that fails after ten seconds is reported at once", async () => {
    let attempt = 0;
    const slow = defineController(Box, {
      backoff: { base: 5_000 },
      async reconcile(_box, ctx) {
        if (attempt++ > 0) return;
        await ctx.sleep(11_000);
        throw new Error("the database does not answer");
      },
    });
    const { states } = await reported(slow);
    expect(states[0]).toBe("True Error: the database does not answer");
  });

  test("ReconcileFailed: a single failure is reported after ten seconds when the next attempt has not ended by then", async () => {
    let attempt = 0;
    const hanging = defineController(Box, {
      when: generationChanged,
      async reconcile(_box, ctx) {
        attempt += 1;
        if (attempt === 1) throw quota;
        if (attempt === 2) await ctx.sleep(30_000);
      },
    });
    const failed = `True Forbidden: ${quota.message}`;
    expect((await reported(hanging, "ReconcileFailed", 9_900)).states).toEqual([]);
    attempt = 0;
    const { states, events } = await reported(hanging, "ReconcileFailed", 10_100);
    expect(states).toEqual([failed]);
    expect(events).toEqual([`Warning ReconcileFailed: ${quota.message}`]);
    attempt = 0;
    expect((await reported(hanging)).states).toEqual([failed, "False ReconcileSucceeded: "]);
    // The attempt that hung had not seen the condition, so one more has cleared it.
    expect(attempt).toBe(3);
  });

  test("ReconcileFailed: a single failure is reported after ten seconds when no worker was free for the next attempt", async () => {
    let attempt = 0;
    const busy = defineController(Box, {
      concurrency: 1,
      reconcile(box, ctx) {
        if (box.metadata.name === "b") return ctx.sleep(300_000);
        attempt += 1;
        if (attempt === 1) throw quota;
        return undefined;
      },
    });
    await using harness = await Harness.start();
    await harness.manage([busy]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.client.create(Box, boxNamed("b"));
    await harness.clock.advance(11_000);
    expect(attempt).toBe(1);
    expect((await harness.box()).status?.conditions).toMatchObject([
      { type: "ReconcileFailed", status: "True", reason: "Forbidden" },
    ]);
  });

  test("ReconcileFailed: a failure that is not tried again within ten seconds is reported at once", async () => {
    const rare = defineController(Box, {
      backoff: { base: 30_000 },
      reconcile: () => {
        throw new Error("out of luck");
      },
    });
    expect((await reported(rare, "ReconcileFailed", 1_000)).states).toEqual(["True Error: out of luck"]);
  });

  test("ReconcileFailed: a reconcile that timed out is reported", async () => {
    const hanging = defineController(Box, {
      timeout: 15_000,
      reconcile: (_box, ctx) => ctx.sleep(3_600_000),
    });
    const { states, events } = await reported(hanging, "ReconcileFailed", 20_000);
    expect(states).toEqual(["True Timeout: Box default/a: reconcile took longer than 15000 ms"]);
    expect(events).toHaveLength(1);
  });

  test("onError: conditions it returns take the place of ReconcileFailed; the event stays", async () => {
    const conditions = [
      { type: "Healthy", status: "False", reason: "Broken", message: "told by the author" },
    ];
    const refined = failing([quota, quota, quota], { onError: () => ({ conditions }) });
    const { states, events } = await reported(refined, "Healthy");
    expect(states).toEqual(["False Broken: told by the author"]);
    expect(events).toHaveLength(1);
    const plain = failing([quota, quota, quota], { onError: () => ({ note: "told by the author" }) });
    expect((await reported(plain)).states[0]).toMatch(/^True Forbidden/);
  });
});

test("ReconcileFailed: a built-in kind, and a kind without conditions, get the event only", async () => {
  const Plain = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Plain",
    spec: z.object({}),
    status: z.object({ note: z.string().optional() }),
  });
  await using harness = await Harness.start();
  const { client, clock } = harness;
  await client.create(CustomResourceDefinition, Plain.crd());
  await clock.advance(1_000);
  const broken = (): never => {
    throw quota;
  };
  const controllers = [
    defineController(Plain, { reconcile: broken }),
    defineController(ConfigMap, { reconcile: broken, labelSelector: "watched" }),
  ];
  await harness.manage(controllers);
  await client.create(Plain, { metadata: { name: "plain", namespace }, spec: {} });
  await client.create(ConfigMap, { metadata: { name: "map", namespace, labels: { watched: "yes" } } });
  await clock.advance(60_000);
  const { items } = await client.list(EventsV1Event, { namespace });
  const about = items.map(({ regarding, reason, note }) => `${regarding?.kind} ${reason}: ${note}`);
  expect(about.sort()).toEqual(
    ["ConfigMap", "Plain"].map((kind) => `${kind} ReconcileFailed: ${quota.message}`),
  );
  expect(harness.writes.filter(({ path }) => !path.includes("/events"))).toEqual([]);
});

test("ReconcileFailed: an installed CRD that prunes status gets the event, and the object stays as it is", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  const crd = await client.get(CustomResourceDefinition, "boxes.example.com");
  const versions = crd.spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
  }));
  await client.patch(CustomResourceDefinition, "boxes.example.com", { merge: { spec: { versions } } });
  await clock.advance(1_000);
  await harness.manage([failing(Array.from({ length: 5 }, () => quota))]);
  await client.create(Box, { metadata: { name: "a", namespace }, spec: { text: "x", copies: 1 } });
  await clock.advance(60_000);
  const { items } = await client.list(EventsV1Event, { namespace });
  expect(items.map(({ reason }) => reason)).toEqual(["ReconcileFailed"]);
  expect((await client.get(Box, "a", { namespace })) as KubeObject).not.toHaveProperty("status.conditions");
});
