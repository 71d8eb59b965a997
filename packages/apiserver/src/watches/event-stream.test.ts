import type { WatchEvent } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { EventStream } from "./event-stream.js";

const event = (name: string | number): WatchEvent<unknown> => ({ type: "ADDED", object: name });

async function read(stream: EventStream, count = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  const seen: unknown[] = [];
  const events = stream[Symbol.asyncIterator]();
  while (seen.length < count) {
    const next = await events.next();
    if (next.done) break;
    seen.push(next.value.object);
  }
  return seen;
}

describe("EventStream order", () => {
  test("is the initial events first, then what was pushed meanwhile", async () => {
    const stream = new EventStream();
    stream.push(event("live"), 1);
    stream.begin([event("a"), Promise.resolve([event("b"), event("c")])]);
    stream.end();
    expect(await read(stream)).toEqual(["a", "b", "c", "live"]);
  });

  test("is kept where some events are converted later than those after them", async () => {
    const stream = new EventStream();
    let resolve: (events: WatchEvent<unknown>[]) => void = () => undefined;
    stream.push(new Promise((settle) => (resolve = settle)), 1);
    stream.push(Promise.resolve([]), 1);
    stream.push(event("second"), 1);
    stream.end();
    resolve([event("first")]);
    expect(await read(stream)).toEqual(["first", "second"]);
  });

  test("a failed conversion ends the stream at its place", async () => {
    const stream = new EventStream();
    stream.push(event("before"), 1);
    stream.push(Promise.reject(new Error("no")), 1);
    stream.push(event("after"), 1);
    expect(await read(stream)).toEqual(["before"]);
  });
});

describe("EventStream: a reader that does not wait", () => {
  test("gets what was pushed, in its place, and leaves slow conversions to readers that wait", async () => {
    const stream = new EventStream();
    stream.begin([event("backlog")]);
    stream.push(event("one"), 1);
    stream.push(Promise.resolve([event("two"), event("three")]), 1);
    stream.push(event("four"), 1);
    const events = stream[Symbol.asyncIterator]();
    const now = () => events.nextNow()?.object;
    const later = async () => (await events.next()).value?.object;
    expect([now(), await later(), now()]).toEqual([undefined, "backlog", undefined]);
    expect([await later(), now(), await later(), now()]).toEqual(["one", undefined, "two", undefined]);
    expect([await later(), now(), now()]).toEqual(["three", "four", undefined]);
  });
});

describe("EventStream: a slow client", () => {
  test("is dropped at the limit of events, and its buffer is released", async () => {
    const stream = new EventStream({ maxEvents: 3 });
    let ended = 0;
    stream.onEnd(() => ended++);
    for (let index = 0; index < 4; index++) stream.push(event(index), 1);
    expect(stream.overflowed).toBe(true);
    expect(ended).toBe(1);
    expect(await read(stream)).toEqual([]);
  });

  test("is dropped at the limit of bytes", () => {
    const stream = new EventStream({ maxBytes: 1000 });
    stream.push(event(1), 600);
    expect(stream.overflowed).toBe(false);
    stream.push(event(2), 600);
    expect(stream.overflowed).toBe(true);
  });

  test("is not dropped for many initial events, nor for all it has read in the past", async () => {
    const stream = new EventStream({ maxEvents: 3, maxBytes: 30 });
    stream.begin(Array.from({ length: 100 }, (_, index) => event(index)));
    expect(await read(stream, 100)).toHaveLength(100);
    for (let index = 0; index < 2000; index++) {
      stream.push(event(index), 10);
      expect(await read(stream, 1)).toEqual([index]);
    }
    expect(stream.overflowed).toBe(false);
  });
});

describe("EventStream end", () => {
  test("wakes a waiting reader", async () => {
    const stream = new EventStream();
    const reading = read(stream);
    stream.end();
    expect(await reading).toEqual([]);
  });

  test("comes with the abort signal, at once", async () => {
    const controller = new AbortController();
    const stream = new EventStream({ signal: controller.signal });
    stream.push(event(1), 1);
    controller.abort();
    expect(await read(stream)).toEqual([]);
    expect(await read(new EventStream({ signal: controller.signal }))).toEqual([]);
  });

  test("comes when the reader returns", async () => {
    const stream = new EventStream();
    let ended = false;
    stream.onEnd(() => {
      ended = true;
    });
    stream.push(event(1), 1);
    for await (const _ of stream) break;
    expect(ended).toBe(true);
  });
});
