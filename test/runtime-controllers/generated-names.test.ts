// Children whose names are made up: none is made twice, whatever is slow and whatever is lost.
import { ConfigMap } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, failure, Harness, type Interference, namespace } from "./harness.js";

/** As many children as the box wants, under made-up names: counted, or each under a word and with no look at what is there. */
const maker = (once: boolean) =>
  defineController(Box, {
    owns: [ConfigMap],
    async reconcile(box, ctx) {
      for (let at = once ? 0 : ctx.children(ConfigMap).length; at < box.spec.copies; at++) {
        const child = { metadata: { generateName: "made-" }, data: { text: box.spec.text } };
        await ctx.create(ConfigMap, child, once ? { once: `copy ${at}` } : {});
      }
      ctx.status({ ready: ctx.children(ConfigMap).length });
    },
  });

const made = async ({ client }: Harness) =>
  (await client.list(ConfigMap, { namespace })).items.filter(({ metadata }) =>
    metadata?.name?.startsWith("made-"),
  );

const isCreation: (seen: Parameters<Interference>[0]) => boolean = ({ method, path }) =>
  method === "POST" && path.endsWith("/configmaps");

test.each([false, true])("are made as often as wanted, and no more (under a word: %s)", async (once) => {
  await using harness = await Harness.start();
  await harness.manage([maker(once)]);
  await harness.client.create(Box, boxNamed("a", { copies: 5 }));
  await harness.client.create(Box, boxNamed("b", { copies: 2 }));
  await harness.clock.advance(10_000);
  expect(await made(harness)).toHaveLength(7);
  if (!once) expect(harness.requests.filter(isCreation)).toHaveLength(7);
});

describe("a creation whose answer is lost", () => {
  async function lose(nth: number) {
    const harness = await Harness.start();
    let count = 0;
    harness.interfere = (request) => (isCreation(request) && ++count === nth ? "lose the answer" : undefined);
    await harness.manage([maker(true)]);
    await harness.client.create(Box, boxNamed("a", { copies: 3 }));
    await harness.clock.advance(10_000);
    return harness;
  }

  test.each([1, 2, 3])("is met again by the next, under its word (the %i. is lost)", async (nth) => {
    await using harness = await lose(nth);
    expect(await made(harness)).toHaveLength(3);
    const box = await harness.client.get(Box, "a", { namespace });
    expect(box.status?.ready).toBe(3);
  });
});

test("one that somebody deleted is made again; one that is somebody else's is left alone", async () => {
  await using harness = await Harness.start();
  const { client, clock } = harness;
  await harness.manage([maker(true)]);
  await client.create(Box, boxNamed("a"));
  await clock.advance(1_000);
  const [first] = await made(harness);
  const name = first?.metadata?.name ?? "";
  await client.delete(ConfigMap, name, { namespace });
  await clock.advance(1_000);
  const [second] = await made(harness);
  expect(second?.metadata?.name).toBe(name);
  expect(second?.metadata?.uid).not.toBe(first?.metadata?.uid);
  // Nobody's now: it is no child any more, and its name is taken.
  await client.patch(ConfigMap, name, { merge: { metadata: { ownerReferences: null } } }, { namespace });
  await clock.advance(1_000);
  expect(await made(harness)).toHaveLength(1);
  expect(String(harness.errors[0]?.error)).toContain("already exists");
});

test("a creation that is refused is named by its prefix", async () => {
  await using harness = await Harness.start();
  await harness.manage([maker(false)]);
  harness.interfere = (request) => (isCreation(request) ? failure(403, "Forbidden") : undefined);
  await harness.client.create(Box, boxNamed("a"));
  await harness.settle();
  expect(String(harness.errors[0]?.error)).toContain("create ConfigMap default/made-: made up");
});
