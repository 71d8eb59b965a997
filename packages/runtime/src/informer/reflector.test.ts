import { ConfigMap, type KubeObject, VirtualClock } from "@kubewright/api";
import { Client, ConnectionError } from "@kubewright/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeServer, type FakeServerOptions, failure } from "./fixtures/fake-server.js";
import { Informer } from "./informer.js";

/** An informer that follows a fake server in virtual time. */
function follow(options: FakeServerOptions = {}) {
  const server = new FakeServer(options);
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const informer = new Informer<KubeObject>({
    client: new Client({ transport: server.transport, clock }),
    resource: ConfigMap,
    clock,
    random: () => 0.5,
    pageSize: 2,
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    await informer.close();
    expect(clock.pending, "timers left behind").toBe(0);
    expect(clock.inFlight, "work left behind").toEqual([]);
    expect(server.watches.size, "watches left open").toBe(0);
  });
  const state = () =>
    Object.fromEntries(
      [...informer.store.entries()].map(([key, { metadata }]) => [key, metadata?.resourceVersion]),
    );
  const caughtUp = () => expect(state()).toEqual(server.state);
  return { server, clock, informer, errors, caughtUp, state };
}

async function started(options: FakeServerOptions = {}) {
  const context = follow(options);
  context.server.put("a");
  context.server.put("b");
  context.server.put("c");
  context.informer.start();
  await context.clock.settle();
  return context;
}

describe("the first list of a reflector", () => {
  test("is streamed where the server supports it, and continues as the watch", async () => {
    const { server, informer, clock, caughtUp } = await started();
    expect(informer.hasSynced).toBe(true);
    server.put("d");
    await clock.settle();
    caughtUp();
    expect(server.requests).toEqual(["stream"]);
    expect(informer.states).toEqual([{ phase: "watching" }]);
  });

  test("falls back to pages where the server refuses", async () => {
    const { server, caughtUp } = await started({ streaming: "refused" });
    caughtUp();
    expect(server.requests).toEqual(["stream", "list", "list more", "watch 103"]);
  });

  test("falls back to pages where the server never says that the initial events ended", async () => {
    const { server, clock, informer, caughtUp } = await started({ streaming: "ignored" });
    expect(informer.hasSynced).toBe(false);
    expect(informer.states).toEqual([{ phase: "listing", by: "stream" }]);
    await clock.advance(10_000);
    caughtUp();
    expect(server.requests.slice(1)).toEqual(["list", "list more", "watch 103"]);
  });

  test("falls back to pages where events keep the stream busy but the end never comes", async () => {
    const { server, clock, informer } = await started({ streaming: "ignored" });
    for (let second = 0; second < 70; second += 2) {
      server.put("a");
      await clock.advance(2_000);
    }
    expect(informer.hasSynced).toBe(true);
    expect(server.requests).toContain("list");
  });

  test("falls back to pages where the stream ends before the initial events do", async () => {
    const { server, clock, caughtUp } = await started({ streaming: "ignored" });
    server.disconnect();
    await clock.settle();
    caughtUp();
    expect(server.requests).toContain("list");
  });

  test("restarts in one request when its continue token expires half-way", async () => {
    const { server, informer, clock, caughtUp } = follow({ streaming: "refused" });
    for (const name of ["a", "b", "c"]) server.put(name);
    server.fault = ({ query }) => {
      if (!query?.get("continue")) return undefined;
      server.put("d");
      server.compact();
      return undefined;
    };
    informer.start();
    await clock.settle();
    caughtUp();
    expect(server.requests.filter((request) => request.startsWith("list"))).toEqual([
      "list",
      "list more",
      "list",
    ]);
  });
});

describe("a watch of a reflector that ends", () => {
  const endings: [string, (server: FakeServer) => void][] = [
    ["cleanly", (server) => server.disconnect()],
    ["by a broken connection", (server) => server.disconnect(new ConnectionError("reset", "closed"))],
  ];
  test.each(endings)("%s is resumed from the last event, and nothing is lost", async (_how, end) => {
    const { server, clock, caughtUp } = await started();
    await clock.advance(30_000);
    server.put("d");
    await clock.settle();
    end(server);
    server.put("e");
    server.remove("a");
    await clock.advance(200);
    caughtUp();
    expect(server.requests).toEqual(["stream", "watch 104"]);
  });

  test("is resumed from the last bookmark", async () => {
    const { server, clock } = await started();
    server.revision = 500;
    server.bookmark();
    await clock.advance(30_000);
    server.disconnect();
    await clock.settle();
    expect(server.requests.at(-1)).toBe("watch 500");
  });

  test("at once, every time, is resumed with backoff", async () => {
    const { server, clock, informer } = await started();
    const before = server.requests.length;
    const end = setIntervalOn(clock, 1, () => server.disconnect());
    await clock.advance(20_000);
    end();
    expect(server.requests.length - before).toBeLessThan(15);
    expect(informer.problem).toMatchObject({ reason: "unreachable" });
    await clock.advance(20_000);
    expect(informer.problem).toBeUndefined();
  });
});

test("a reflector detects and resumes a watch that falls silent", async () => {
  const { server, clock, caughtUp, state } = await started();
  server.isMute = true;
  server.put("lost");
  await clock.advance(149_000);
  expect(state()).not.toHaveProperty("default/lost");
  server.isMute = false;
  await clock.advance(1_500);
  caughtUp();
  expect(server.requests).toEqual(["stream", "watch 103"]);
});

test("bookmarks keep a quiet watch of a reflector alive", async () => {
  const { server, clock } = await started();
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(60_000);
    server.bookmark();
    await clock.settle();
  }
  expect(server.requests).toEqual(["stream"]);
});

describe("a reflector whose resourceVersion is gone", () => {
  test("lists again, and finds deletions that happened meanwhile", async () => {
    const { server, clock, informer, caughtUp } = await started();
    const deleted: string[] = [];
    informer.onChange(({ key, current }) => current || deleted.push(key));
    await clock.advance(30_000);
    server.disconnect();
    server.remove("a");
    server.remove("b");
    server.put("b");
    server.compact();
    await clock.advance(1_000);
    caughtUp();
    expect(deleted).toEqual(["default/b", "default/a"]);
    expect(server.requests).toEqual(["stream", "watch 103", "stream"]);
  });

  test("because the server has not reached it lists again", async () => {
    const { server, clock, caughtUp } = await started();
    await clock.advance(30_000);
    let refused = 0;
    server.fault = ({ query }) => {
      if (!query?.get("resourceVersion") || refused++ > 0) return undefined;
      return failure(504, "Timeout", "Too large resource version", {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      });
    };
    server.put("d");
    server.disconnect();
    await clock.advance(1_000);
    caughtUp();
    expect(server.requests).toEqual(["stream", "watch 104", "stream"]);
  });

  test("because its events are malformed lists again", async () => {
    const { server, clock, caughtUp } = await started();
    server.send({ type: "NONSENSE" });
    await clock.advance(1_000);
    caughtUp();
    expect(server.requests).toEqual(["stream", "stream"]);
  });

  test("because the server lost its history lists again", async () => {
    const { server, clock, caughtUp } = await started();
    server.remove("a");
    await clock.settle();
    server.revision = 7;
    server.bookmark();
    await clock.advance(1_000);
    caughtUp();
    expect(server.requests).toEqual(["stream", "stream"]);
  });
});

describe("a reflector of a failing server", () => {
  const cases: [reason: string, code: number, kubernetesReason: string][] = [
    ["forbidden", 403, "Forbidden"],
    ["unauthorized", 401, "Unauthorized"],
    ["not-found", 404, "NotFound"],
    ["throttled", 429, "TooManyRequests"],
    ["failing", 500, "InternalError"],
  ];
  test.each(cases)(
    "%s: reports the error, retries, and syncs once it works",
    async (reason, code, kubernetesReason) => {
      const { server, clock, informer, errors, caughtUp } = follow();
      server.put("a");
      server.fault = () => failure(code, kubernetesReason);
      informer.start();
      await clock.advance(60_000);
      expect(informer.hasSynced).toBe(false);
      expect(informer.problem).toMatchObject({ reason });
      expect(errors.length).toBeGreaterThan(5);
      expect(errors.length).toBeLessThan(20);
      server.fault = undefined;
      await clock.advance(10_000);
      caughtUp();
      await clock.advance(10_000);
      expect(informer.problem).toBeUndefined();
    },
  );

  test("without any answer reports the error, retries, and syncs once it works", async () => {
    const { server, clock, informer, caughtUp } = follow();
    server.fault = () => Promise.reject(new ConnectionError("connection refused", "refused"));
    informer.start();
    await clock.advance(30_000);
    expect(informer.problem).toMatchObject({ reason: "unreachable" });
    server.fault = undefined;
    await clock.advance(10_000);
    caughtUp();
  });

  test("does not ask again before Retry-After", async () => {
    const { server, clock, informer } = follow();
    server.fault = () => failure(429, "TooManyRequests", "busy", { retryAfterSeconds: 30 });
    informer.start();
    await clock.advance(29_900);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1_000);
    expect(server.requests).toHaveLength(2);
  });

  test("starts backoff anew after the server worked", async () => {
    const { server, clock } = await started();
    server.fault = () => failure(500, "InternalError");
    server.disconnect();
    await clock.advance(60_000);
    server.fault = undefined;
    await clock.advance(30_000);
    server.disconnect(new ConnectionError("reset", "closed"));
    const before = server.requests.length;
    await clock.advance(150);
    expect(server.requests.length).toBe(before + 1);
  });
});

test("a reflector counts its lists, watches and events", async () => {
  const { server, clock, informer } = await started();
  server.put("d");
  await clock.advance(160_000);
  server.disconnect(new ConnectionError("reset", "closed"));
  await clock.advance(1_000);
  expect(informer.counts).toEqual([{ lists: 1, watches: 3, events: 1, silences: 1, failures: 1 }]);
});

test("a reflector survives a jump of the wall clock", async () => {
  const { server, clock, caughtUp } = await started();
  clock.jump(-86_400_000);
  server.put("d");
  await clock.advance(1_000);
  clock.jump(10 * 86_400_000);
  server.put("e");
  await clock.advance(1_000);
  caughtUp();
  expect(server.requests).toEqual(["stream"]);
});

test("closing a reflector does not wait for a server that does not answer", async () => {
  const { server, clock, informer } = follow();
  server.fault = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  informer.start();
  await clock.settle();
  const synced = informer.synced();
  synced.catch(() => undefined);
  await informer.close();
  await expect(synced).rejects.toThrow("closed");
  expect(informer.states).toEqual([{ phase: "stopped" }]);
});

/** Runs again and again, in virtual time. */
function setIntervalOn(clock: VirtualClock, delay: number, run: () => void): () => void {
  let isOn = true;
  const tick = (): void => {
    if (!isOn) return;
    run();
    clock.setTimer(delay, tick);
  };
  clock.setTimer(delay, tick);
  return () => {
    isOn = false;
  };
}
