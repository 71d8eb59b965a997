import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { WatchEvent } from "@kubewright/api";
import { expect, it } from "vitest";
import { eventWriter } from "./event-writer.js";

/** Writes events that are all there from the beginning; says how many arrived with each write. */
async function writes(count: number, size: number): Promise<number[]> {
  const taken: number[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString().split("\n").length - 1);
      void setImmediate().then(() => done());
    },
  });
  await eventWriter()(backlog(count, size), sink, 10_000);
  await new Promise((resolve) => sink.end(resolve));
  return taken;
}

async function* backlog(count: number, size: number): AsyncGenerator<WatchEvent<unknown>> {
  for (let index = 0; index < count; index += 1)
    yield { type: "ADDED", object: { index, pad: "x".repeat(size) } };
}

it.each([
  ["all at once when there are few", 3, 400, [3]],
  ["two kilobytes of many first, the rest together", 12, 400, [4, 8]],
  ["an event that is larger than that on its own", 3, 5000, [1, 2]],
] as const)("EventWriter: sends %s", async (_, count, size, expected) => {
  expect(await writes(count, size)).toEqual(expected);
});

it("EventWriter: writes a large event to many watches a few at a time, and to each of them once", async () => {
  const event = { type: "ADDED", object: { pad: "x".repeat(400_000) } } as const;
  const write = eventWriter();
  const written: number[] = [];
  const watches = Array.from({ length: 20 }, (_, index) => {
    const sink = new Writable({
      write(_chunk, _encoding, done) {
        written.push(index);
        done();
      },
    });
    return write(once(event), sink, 10_000);
  });
  const rounds: number[] = [];
  while (written.length < watches.length && rounds.length < 100) {
    await setImmediate();
    rounds.push(written.length);
  }
  await Promise.all(watches);
  expect(written).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(Math.max(...rounds.map((count, round) => count - (rounds[round - 1] ?? 0)))).toBeLessThanOrEqual(3);
});

async function* once(event: WatchEvent<unknown>): AsyncGenerator<WatchEvent<unknown>> {
  yield event;
}

it("EventWriter: writes an event of a great many fields to all watches, in its place", async () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
  const events = [
    { type: "ADDED", object: { name: "a" } },
    { type: "MODIFIED", object: { wide } },
    { type: "DELETED", object: { name: "b" } },
  ] as const;
  const write = eventWriter();
  const texts = await Promise.all(
    ["a", "b"].map(async () => {
      let text = "";
      const sink = new Writable({
        write(chunk, _encoding, done) {
          text += chunk;
          done();
        },
      });
      await write(all(events), sink, 10_000);
      await new Promise((resolve) => sink.end(resolve));
      return text;
    }),
  );
  const expected = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  expect(texts.map((text) => text === expected)).toEqual([true, true]);
});

async function* all(events: readonly WatchEvent<unknown>[]): AsyncGenerator<WatchEvent<unknown>> {
  yield* events;
}
