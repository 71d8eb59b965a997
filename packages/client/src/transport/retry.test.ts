import { sleep, TimeoutError, type TransportRequest, VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { ConnectionError } from "../connection-error.js";
import { failed, object, scripted } from "../fixtures/scripted-transport.js";
import { retrying } from "./retry.js";

const get: TransportRequest = { method: "GET", path: "/api/v1/nodes" };
const post: TransportRequest = { method: "POST", path: "/api/v1/namespaces/a/pods" };
const apply: TransportRequest = {
  method: "PATCH",
  path: "/api/v1/namespaces/a/pods/b",
  headers: { "content-type": "application/apply-patch+yaml" },
};
const merge: TransportRequest = { ...apply, headers: { "content-type": "application/merge-patch+json" } };
const evict: TransportRequest = { method: "POST", path: "/api/v1/namespaces/a/pods/b/eviction" };

const unavailable = failed(503, "ServiceUnavailable");
const busy = failed(429, "TooManyRequests");
const asked = failed(503, "ServiceUnavailable", "", { "retry-after": "1" });
const busyFor1s = failed(429, "TooManyRequests", "", { "retry-after": "1" });
const refused = new ConnectionError("refused", "refused");
const closed = new ConnectionError("closed", "closed");
const badTls = new ConnectionError("tls", "tls");

describe("retry transport", () => {
  const ok = { body: object({}) };
  const cases = [
    ["a read after 503", get, unavailable, 2],
    ["a read after 429", get, busy, 2],
    ["a read after 404", get, failed(404, "NotFound"), 1],
    ["a read after 501", get, failed(501, "NotImplemented"), 1],
    ["a read after a connection was refused", get, refused, 2],
    ["a read after a connection was lost", get, closed, 2],
    ["a read after TLS failed", get, badTls, 1],
    ["a read that timed out", get, new TimeoutError("late"), 1],
    ["a create after 500", post, failed(500, "InternalError"), 1],
    ["a create after 503 with Retry-After", post, asked, 2],
    ["a create after 429", post, busy, 2],
    ["a create after a connection was refused", post, refused, 2],
    ["a create after a connection was lost", post, closed, 1],
    ["an apply after 503", apply, unavailable, 2],
    ["an apply after a connection was lost", apply, closed, 2],
    ["a merge patch after 503", merge, unavailable, 1],
    ["an eviction that a budget refuses", evict, busyFor1s, 1],
    ["an eviction after a connection was refused", evict, refused, 2],
  ] as const;

  it.each(cases)("%s", async (_what, request, first, sent) => {
    const clock = new VirtualClock();
    const { transport, requests } = scripted(first, ok);
    const result = retrying({ clock })(transport)(request).catch((error: unknown) => error);
    await clock.runUntilSettled(result);
    expect(requests).toHaveLength(sent);
  });

  it("waits longer each time, with jitter, and gives up with the last answer", async () => {
    const clock = new VirtualClock();
    const times: number[] = [];
    const { transport } = scripted(() => {
      times.push(clock.monotonic());
      return unavailable;
    });
    const result = retrying({ clock, random: () => 0 })(transport)(get);
    await clock.runUntilSettled(result);
    expect((await result).status).toBe(503);
    expect(times).toEqual([0, 100, 300, 700, 1500]);
  });

  it("takes up to half of the wait off", async () => {
    const clock = new VirtualClock();
    const { transport } = scripted(unavailable, ok);
    await clock.runUntilSettled(retrying({ clock, random: () => 0.999 })(transport)(get));
    expect(clock.monotonic()).toBeCloseTo(50, 0);
  });

  it.each([
    ["seconds", "3"],
    ["a date", new Date(Date.UTC(2026, 0, 1, 0, 0, 3)).toUTCString()],
  ])("waits as long as the server asks, in %s", async (_form, value) => {
    const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1) });
    const { transport } = scripted(failed(429, "TooManyRequests", "", { "retry-after": value }), ok);
    await clock.runUntilSettled(retrying({ clock, random: () => 0 })(transport)(get));
    expect(clock.monotonic()).toBe(3100);
  });

  it("does not wait for a server that asks too much", async () => {
    const clock = new VirtualClock();
    const { transport, requests } = scripted(failed(429, "TooManyRequests", "", { "retry-after": "3600" }));
    const { status } = await retrying({ clock })(transport)(get);
    expect([status, requests.length]).toEqual([429, 1]);
  });

  it("stops waiting when the call is aborted", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const { transport, requests } = scripted(unavailable);
    const result = retrying({ clock })(transport)({ ...get, signal: stop.signal });
    const failure = expect(result).rejects.toThrow("enough");
    await clock.settle();
    stop.abort(new Error("enough"));
    await failure;
    expect(requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("closes the answers it does not use, and reports each repetition", async () => {
    const clock = new VirtualClock();
    let closedStreams = 0;
    const chunks = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: undefined, done: true as const }),
        return: async () => {
          closedStreams++;
          return { value: undefined, done: true as const };
        },
      }),
    };
    const { transport } = scripted({ status: 503, body: { kind: "stream", chunks } }, refused, ok);
    const codes: string[] = [];
    const onRetry = (_request: TransportRequest, code: string): void => void codes.push(code);
    await clock.runUntilSettled(retrying({ clock, onRetry })(transport)(get));
    expect(closedStreams).toBe(1);
    expect(codes).toEqual(["503", "<error>"]);
  });

  it("leaves a slow server its time", async () => {
    const clock = new VirtualClock();
    const slow = retrying({ clock })(async () => {
      await sleep(clock, 50_000);
      return { status: 200, headers: {}, body: { kind: "empty" } };
    });
    await clock.runUntilSettled(slow(get));
    expect(clock.monotonic()).toBe(50_000);
  });
});
