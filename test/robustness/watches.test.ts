// Thousands of watches, most of them idle.
import { VirtualClock, type WatchEvent } from "@kubewright/api";
import { describe, expect, test, vi } from "vitest";
import { memoryInUse } from "./memory.js";
import { Target, Wire } from "./target.js";

const maps = "/api/v1/namespaces/default/configmaps";

async function watch(target: Target, query = ""): Promise<AsyncIterator<WatchEvent<unknown>>> {
  const { body } = await target.send({ method: "GET", path: maps, query: `watch=1&${query}` });
  if (body.kind !== "events") throw new Error("no watch");
  return body.events[Symbol.asyncIterator]();
}

describe("thousands of watches in process", () => {
  test("cost a few kilobytes each, share one timer, all see a change, and leave nothing behind", async () => {
    const clock = new VirtualClock();
    const target = new Target({ clock });
    const timers = clock.pending;
    await (await watch(target)).return?.();
    const before = await memoryInUse();
    const count = 5000;
    const watches = await Promise.all(
      Array.from({ length: count }, () => watch(target, "allowWatchBookmarks=true&resourceVersion=0")),
    );
    expect(((await memoryInUse()) - before) / count).toBeLessThan(8 * 1024);
    expect(clock.pending).toBe(timers + 1);
    await target.must({ method: "POST", path: maps, object: { metadata: { name: "a" } } });
    for (const one of watches) {
      // The end of the initial events, of which there are none.
      expect((await one.next()).value).toMatchObject({ type: "BOOKMARK" });
      expect((await one.next()).value).toMatchObject({ type: "ADDED" });
    }
    await clock.advance(61_000);
    for (const one of watches) expect((await one.next()).value).toMatchObject({ type: "BOOKMARK" });
    for (const one of watches) await one.return?.();
    expect(clock.pending).toBe(timers);
    target.close();
    expect(await target.uncaught()).toEqual([]);
  });

  test("end when the server does", async () => {
    const target = new Target();
    const watches = await Promise.all(Array.from({ length: 1000 }, () => watch(target, "resourceVersion=0")));
    const ends = watches.map((one) => one.next());
    target.close();
    for (const end of ends) expect((await end).done).toBe(true);
  });

  test("end when their requests are aborted", async () => {
    const target = new Target();
    const controller = new AbortController();
    const { body } = await target.send({ method: "GET", path: maps, query: "watch=1" }, controller.signal);
    if (body.kind !== "events") throw new Error("no watch");
    const next = body.events[Symbol.asyncIterator]().next();
    controller.abort();
    expect((await next).done).toBe(true);
    target.close();
  });
});

describe("versions", () => {
  test("of the future: only later changes are sent", async () => {
    const target = new Target();
    const first = await target.must({ method: "POST", path: maps, object: { metadata: { name: "a" } } });
    const version = Number((first["metadata"] as { resourceVersion: string }).resourceVersion);
    const events = await watch(target, `resourceVersion=${version + 2}`);
    for (const name of ["b", "c", "d"])
      await target.must({ method: "POST", path: maps, object: { metadata: { name } } });
    expect((await events.next()).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "d" } } });
    target.close();
  });

  test("of the future cannot be listed by a watch", async () => {
    const target = new Target();
    const query =
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=1000000";
    const events = await watch(target, query);
    expect((await events.next()).value).toMatchObject({
      type: "ERROR",
      object: { code: 504, reason: "Timeout" },
    });
    expect((await events.next()).done).toBe(true);
    target.close();
  });

  test("more objects than a watch may be behind are sent to begin with", async () => {
    const target = new Target();
    for (let index = 0; index < 5000; index++)
      await target.must({ method: "POST", path: maps, object: { metadata: { name: `m${index}` } } });
    const events = await watch(target);
    const seen = new Set<unknown>();
    while (seen.size < 5000) {
      const { value } = await events.next();
      seen.add((value as WatchEvent<{ metadata: { name: string } }>).object.metadata.name);
    }
    const first = await target.must({ method: "GET", path: `${maps}/m0` });
    const { resourceVersion } = first["metadata"] as { resourceVersion: string };
    const later = await watch(target, `resourceVersion=${resourceVersion}`);
    for (let index = 1; index < 5000; index++)
      expect((await later.next()).value).toMatchObject({ object: { metadata: { name: `m${index}` } } });
    target.close();
  });
});

describe("hundreds of watches over TLS", () => {
  test("all see a change, and all end in order when the listener closes", async () => {
    const wire = await Wire.start();
    const count = 200;
    let seen = 0;
    let ended = 0;
    for (let index = 0; index < count; index++) {
      const answer = await wire.open(`${maps}?watch=1`);
      answer.on("data", () => seen++).on("end", () => (ended += answer.complete ? 1 : 0));
      answer.on("error", () => undefined);
    }
    await wire.target.must({ method: "POST", path: maps, object: { metadata: { name: "a" } } });
    await vi.waitUntil(() => seen === count, { timeout: 5000 });
    await wire.stop();
    await vi.waitUntil(() => ended === count);
    await wire.close();
  });
});
