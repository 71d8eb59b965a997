import { ApiError, TimeoutError, VirtualClock } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventStream } from "./event-stream.js";
import { ByteQueue } from "./transport/byte-queue.js";

const source = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };

function streamOf(text: string, sizes: readonly number[] = []): EventStream {
  const queue = new ByteQueue(source);
  let rest = Buffer.from(text);
  for (const size of sizes) {
    queue.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  if (rest.length > 0) queue.push(rest);
  queue.end();
  return new EventStream(queue, { what: "watch Pod", clock: new VirtualClock() });
}

const event = (name: string): string =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;

async function namesOf(stream: EventStream): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const { object } of stream) names.push((object as { metadata: { name: string } }).metadata.name);
  return names;
}

describe("EventStream", () => {
  it("gives every event in order, however the stream is cut", async () => {
    const name = fc.string({ unit: "grapheme", maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(name), fc.array(fc.integer({ min: 1, max: 40 })), async (names, sizes) => {
        const stream = streamOf(names.map(event).join(""), sizes);
        expect(await namesOf(stream)).toEqual(names);
      }),
    );
  });

  it("takes empty lines and a last event without an end", async () => {
    expect(await namesOf(streamOf(`\n${event("a")}\r\n${event("b").trimEnd()}`))).toEqual(["a", "b"]);
  });

  it("throws what an ERROR event reports, and is then over", async () => {
    const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
    const stream = streamOf(
      `${event("a")}${JSON.stringify({ type: "ERROR", object: status })}\n${event("b")}`,
    );
    await stream.next();
    const failure = stream.next();
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toThrow("watch Pod: too old");
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it.each([
    ["half an event", '{"type":"ADD'],
    ["something else", '{"hello":"world"}\n'],
    ["an unknown type", '{"type":"MOVED","object":{}}\n'],
    ["null", "null\n"],
  ])("refuses %s", async (_what, text) => {
    await expect(streamOf(text).next()).rejects.toMatchObject({ name: "ConnectionError" });
  });

  it("keeps a key named __proto__ as data", async () => {
    const { value } = await streamOf('{"type":"ADDED","object":{"__proto__":{"polluted":1}}}\n').next();
    expect(Object.hasOwn(value!.object as object, "__proto__")).toBe(true);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("takes a stream that is silent for too long for dead, and lets go of it", async () => {
    let cancelled = false;
    const queue = new ByteQueue({
      ...source,
      cancel: () => {
        cancelled = true;
      },
    });
    const clock = new VirtualClock();
    const stream = new EventStream(queue, { what: "watch Pod", clock, idleTimeout: 1000 });
    queue.push(Buffer.from(event("a")));
    await stream.next();
    const waiting = stream.next();
    const failure = expect(waiting).rejects.toBeInstanceOf(TimeoutError);
    await clock.advance(999);
    queue.push(Buffer.from("\n"));
    await clock.advance(999);
    expect(cancelled).toBe(false);
    await clock.advance(1);
    await failure;
    expect(cancelled).toBe(true);
    expect(clock.pending).toBe(0);
  });
});
