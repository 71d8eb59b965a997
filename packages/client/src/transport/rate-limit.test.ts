import { VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { scripted } from "../fixtures/scripted-transport.js";
import { rateLimit } from "./rate-limit.js";

describe("rateLimit", () => {
  it("lets a burst through and spreads the rest", async () => {
    const clock = new VirtualClock();
    const times: number[] = [];
    const { transport } = scripted(() => {
      times.push(clock.monotonic());
      return {};
    });
    const limited = rateLimit({ qps: 10, burst: 3, clock })(transport);
    const all = Promise.all(Array.from({ length: 6 }, () => limited({ method: "GET", path: "/" })));
    await clock.runUntilSettled(all);
    expect(times).toEqual([0, 0, 0, 100, 200, 300]);
  });

  it("lets a burst through again after a pause", async () => {
    const clock = new VirtualClock();
    const waits: number[] = [];
    const { transport } = scripted({});
    const limited = rateLimit({ qps: 10, burst: 2, clock, onWait: (_request, wait) => waits.push(wait) })(
      transport,
    );
    const send = () => limited({ method: "GET", path: "/" });
    await Promise.all([send(), send()]);
    await clock.advance(60_000);
    await clock.runUntilSettled(Promise.all([send(), send(), send()]));
    expect(waits).toEqual([0, 0, 0, 0, 100]);
  });

  it("forgets a request that is given up", async () => {
    const clock = new VirtualClock();
    const { transport, requests } = scripted({});
    const limited = rateLimit({ qps: 1, burst: 1, clock })(transport);
    await limited({ method: "GET", path: "/" });
    const stop = new AbortController();
    const waiting = limited({ method: "GET", path: "/", signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect(requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});
