import {
  type Clock,
  type Lease,
  sleep,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  VirtualClock,
} from "@kubewright/api";
import { Client } from "@kubewright/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotLeaderError } from "./fence.js";
import { type LeaderElectionOptions, LeaderElector, type Leadership } from "./leader-election.js";

/** The one lease of a server, with versions. */
class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  readonly handle = async ({ method, body }: TransportRequest): Promise<TransportResponse> => {
    const sent = body?.kind === "object" ? (body.value as Lease) : undefined;
    if (method === "GET") return this.lease ? answer(200, this.lease) : refusal(404, "NotFound");
    if (method === "POST") return this.lease ? refusal(409, "AlreadyExists") : this.#store(sent);
    if (!this.lease) return refusal(404, "NotFound");
    const isCurrent = sent?.metadata?.resourceVersion === this.lease.metadata?.resourceVersion;
    return isCurrent ? this.#store(sent) : refusal(409, "Conflict");
  };

  #store(lease: Lease | undefined): TransportResponse {
    const resourceVersion = String(++this.#version);
    this.lease = { ...lease, metadata: { ...lease?.metadata, resourceVersion } };
    return answer(200, this.lease);
  }
}

const answer = (status: number, value: unknown): TransportResponse => ({
  status,
  headers: {},
  body: { kind: "object", value },
});
const refusal = (code: number, reason: string) =>
  answer(code, { kind: "Status", apiVersion: "v1", status: "Failure", message: reason, reason, code });

const electorOn = (
  transport: Transport,
  clock: Clock,
  identity: string,
  more: Partial<LeaderElectionOptions> = {},
) =>
  new LeaderElector({
    client: new Client({ transport, clock }),
    clock,
    random: () => 0,
    leaseName: "it",
    namespace: "default",
    identity,
    onError: () => undefined,
    ...more,
  });

function setUp() {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const stop = new AbortController();
  return { clock, server, stop, elector: (identity: string) => electorOn(server.handle, clock, identity) };
}

describe("a lease", () => {
  test("is taken by the first, and renewed", async () => {
    const { clock, server, stop, elector } = setUp();
    const leadership = await elector("one").acquire(stop.signal);
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: "one",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
    await clock.advance(60_000);
    expect(server.lease?.spec?.renewTime).toBe("2026-01-01T00:01:00.000000Z");
    expect(leadership.isOpen).toBe(true);
    await leadership.release();
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(leadership.isOpen).toBe(false);
    expect(() => leadership.bounds()).toThrow(NotLeaderError);
    expect(clock.pending).toBe(0);
  });

  test("that nobody renews is taken after its duration, measured here", async () => {
    const { clock, server, stop, elector } = setUp();
    server.lease = {
      metadata: { name: "it", namespace: "default", resourceVersion: "7" },
      // Its clock is a year ahead; that must not matter.
      spec: { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2027-01-01T00:00:00.000000Z" },
    };
    const leadership = await clock.runUntilSettled(elector("one").acquire(stop.signal));
    expect(clock.monotonic()).toBe(16_000);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "one", leaseTransitions: 1 });
    await leadership.release();
  });

  test("is let go when renewals hang, before another may take it", async () => {
    const { clock, server, stop } = setUp();
    let isHanging = false;
    const flaky: Transport = (request) =>
      isHanging
        ? new Promise((_, reject) =>
            request.signal?.addEventListener("abort", () => reject(request.signal?.reason)),
          )
        : server.handle(request);
    const first = await electorOn(flaky, clock, "first").acquire(stop.signal);
    const second = electorOn(server.handle, clock, "second").acquire(stop.signal);
    await clock.advance(20_000);
    isHanging = true;
    let lostAt = 0;
    first.lost.addEventListener("abort", () => {
      lostAt = clock.monotonic();
    });
    const next = await clock.runUntilSettled(second);
    expect(lostAt).toBe(30_000);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(35_000);
    expect(first.lost.reason).toBeInstanceOf(NotLeaderError);
    await next.release();
    await first.release();
    expect(server.lease?.spec?.holderIdentity).toBe("");
  });

  test.each([
    ["another holder", { holderIdentity: "thief" }, "the lease is held by thief"],
    ["no holder", { holderIdentity: "" }, "the lease is held by nobody"],
  ])("found with %s is lost at once", async (_, spec, message) => {
    const { clock, server, stop, elector } = setUp();
    const leadership = await elector("one").acquire(stop.signal);
    await clock.advance(5_000);
    server.lease = { ...server.lease, metadata: { ...server.lease?.metadata, resourceVersion: "99" }, spec };
    await clock.advance(2_000);
    expect(String(leadership.lost.reason)).toContain(message);
  });

  test("that somebody labelled is kept", async () => {
    const { clock, server, stop, elector } = setUp();
    const leadership = await elector("one").acquire(stop.signal);
    const metadata = { ...server.lease?.metadata, resourceVersion: "99", labels: { a: "b" } };
    server.lease = { ...server.lease, metadata };
    await clock.advance(30_000);
    expect(leadership.isOpen).toBe(true);
    expect(server.lease?.metadata?.labels).toEqual({ a: "b" });
    await leadership.release();
  });

  test("bounds every write by the time it still holds", async () => {
    const { clock, server, stop } = setUp();
    let isDown = false;
    const flaky: Transport = (request) =>
      isDown ? Promise.reject(new Error("down")) : server.handle(request);
    const leadership = await electorOn(flaky, clock, "one").acquire(stop.signal);
    await clock.advance(4_000);
    isDown = true;
    expect(leadership.bounds()).toEqual({ timeout: 15_000 });
    await clock.advance(9_999);
    expect(leadership.bounds()).toEqual({ timeout: 5_001 });
    await clock.advance(1);
    expect(() => leadership.bounds()).toThrow("no longer leads");
  });
});

/** A clock of another machine: it runs at its own rate, from its own start. */
function machineClock(base: VirtualClock, rate: number, offset: number): Clock {
  return {
    now: () => base.now() * rate + offset,
    monotonic: () => base.monotonic() * rate + offset,
    setTimer: (delay, callback) => base.setTimer(delay / rate, callback),
    busy: (what) => base.busy(what),
  };
}

type Fate = "pass" | "slow" | "lose the request" | "lose the answer" | "hang";

const replica = fc.record({
  // Slowest against fastest stay within 3:2, which is 15 s against 10 s.
  rate: fc.constantFrom(0.85, 0.85, 1, 1.2, 1.2),
  offset: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  /** When it can reach nobody, for half a minute. */
  cutOffAt: fc.integer({ min: 0, max: 100_000 }),
  fates: fc.array(
    fc.constantFrom<Fate>(
      "pass",
      "pass",
      "pass",
      "pass",
      "pass",
      "pass",
      "slow",
      "lose the request",
      "lose the answer",
      "hang",
    ),
    {
      minLength: 1,
      maxLength: 30,
    },
  ),
});

test("no two replicas ever lead at once, whatever their clocks and their network do", async () => {
  let terms = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(replica, { minLength: 2, maxLength: 3 }), async (replicas) => {
      const base = new VirtualClock();
      const server = new LeaseServer();
      const stop = new AbortController();
      const leading = new Map<number, Leadership>();
      const running = replicas.map(async ({ rate, offset, fates, cutOffAt }, index) => {
        const clock = machineClock(base, rate, offset);
        let calls = 0;
        const wire: Transport = async (request) => {
          const now = base.monotonic();
          const isCutOff = now > cutOffAt && now < cutOffAt + 30_000;
          const fate = isCutOff ? "hang" : fates[calls++ % fates.length];
          const slow = (): Promise<void> => sleep(base, 3_000, request.signal);
          if (fate === "slow") await slow();
          if (fate === "lose the request") throw new Error("lost");
          if (fate === "hang") await sleep(base, 1e9, request.signal);
          const response = await server.handle(request);
          if (fate === "lose the answer") throw new Error("lost");
          if (fate === "slow") await slow();
          return response;
        };
        const elector = electorOn(wire, clock, `replica-${index}`);
        while (!stop.signal.aborted) {
          const leadership = await elector.acquire(stop.signal).catch(() => undefined);
          if (!leadership) return;
          terms += 1;
          leading.set(index, leadership);
          await new Promise((resolve) => leadership.lost.addEventListener("abort", resolve, { once: true }));
        }
      });
      for (let time = 0; time < 120_000; time += 250) {
        await base.advance(250);
        expect([...leading.values()].filter(({ isOpen }) => isOpen).length).toBeLessThanOrEqual(1);
      }
      stop.abort(new Error("end"));
      for (const leadership of leading.values()) await base.runUntilSettled(leadership.release());
      await base.runUntilSettled(Promise.all(running));
      expect(base.pending).toBe(0);
    }),
    { numRuns: 40 },
  );
  expect(terms).toBeGreaterThan(50);
});
