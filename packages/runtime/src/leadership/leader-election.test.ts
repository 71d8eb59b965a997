import { type Clock, type Lease, type Transport, VirtualClock } from "@kubewright/api";
import { Client } from "@kubewright/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotLeaderError } from "./fence.js";
import { faultyMachine, faultyWire, machineClock } from "./fixtures/faulty-machine.js";
import { LeaseServer } from "./fixtures/lease-server.js";
import { type LeaderElectionOptions, LeaderElector, type Leadership } from "./leader-election.js";

const leaseOf = (server: LeaseServer): Lease | undefined => server.leases.get("it");

/** Somebody else writes the lease. */
const overwrite = (server: LeaseServer, { metadata, ...lease }: Lease) =>
  server.leases.set("it", {
    ...leaseOf(server),
    ...lease,
    metadata: { ...leaseOf(server)?.metadata, ...metadata, resourceVersion: "99" },
  });

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

describe("the lease of leader election", () => {
  test("is acquired by the first replica, and renewed", async () => {
    const { clock, server, stop, elector } = setUp();
    const leadership = await elector("one").acquire(stop.signal);
    expect(leaseOf(server)?.spec).toMatchObject({
      holderIdentity: "one",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
    await clock.advance(60_000);
    expect(leaseOf(server)?.spec?.renewTime).toBe("2026-01-01T00:01:00.000000Z");
    expect(leadership.isOpen).toBe(true);
    await leadership.release();
    expect(leaseOf(server)?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(leadership.isOpen).toBe(false);
    expect(() => leadership.bounds()).toThrow(NotLeaderError);
    expect(clock.pending).toBe(0);
  });

  test("that is not renewed is acquired after its duration by the local clock", async () => {
    const { clock, server, stop, elector } = setUp();
    overwrite(server, {
      metadata: { name: "it", namespace: "default" },
      // Its clock is a year ahead; that must not matter.
      spec: { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2027-01-01T00:00:00.000000Z" },
    });
    const leadership = await clock.runUntilSettled(elector("one").acquire(stop.signal));
    expect(clock.monotonic()).toBe(16_000);
    expect(leaseOf(server)?.spec).toMatchObject({ holderIdentity: "one", leaseTransitions: 1 });
    await leadership.release();
  });

  test("is given up when renewals hang, before another replica may acquire it", async () => {
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
    expect(leaseOf(server)?.spec?.holderIdentity).toBe("");
  });

  test.each([
    ["another holder", { holderIdentity: "thief" }, "the lease is held by thief"],
    ["no holder", { holderIdentity: "" }, "the lease is held by nobody"],
  ])("found with %s is lost at once", async (_, spec, message) => {
    const { clock, server, stop, elector } = setUp();
    const leadership = await elector("one").acquire(stop.signal);
    await clock.advance(5_000);
    overwrite(server, { spec });
    await clock.advance(2_000);
    expect(String(leadership.lost.reason)).toContain(message);
  });

  test("that another writer labelled is kept, with its labels", async () => {
    const { clock, server, stop, elector } = setUp();
    const leadership = await elector("one").acquire(stop.signal);
    overwrite(server, { metadata: { labels: { a: "b" } } });
    await clock.advance(30_000);
    expect(leadership.isOpen).toBe(true);
    expect(leaseOf(server)?.metadata?.labels).toEqual({ a: "b" });
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
    expect(leadership.bounds()).toMatchObject({ timeout: 15_000 });
    await clock.advance(9_999);
    expect(leadership.bounds()).toMatchObject({ timeout: 5_001 });
    await clock.advance(1);
    expect(() => leadership.bounds()).toThrow("no longer leads");
  });
});

describe("leader election after a suspend", () => {
  /** A clock whose wall time can jump, as it does when a machine wakes whose monotonic clock stood still. */
  function suspendable() {
    const base = new VirtualClock();
    let offset = 0;
    const clock: Clock = {
      now: () => base.now() + offset,
      monotonic: () => base.monotonic(),
      setTimer: (delay, callback) => base.setTimer(delay, callback),
      busy: (what) => base.busy(what),
    };
    return { base, clock, jump: (milliseconds: number) => (offset += milliseconds) };
  }

  test("refuses work, and requests that waited meanwhile, from the first moment on", async () => {
    const { base, clock, jump } = suspendable();
    const server = new LeaseServer();
    const leadership = await electorOn(server.handle, clock, "one").acquire(new AbortController().signal);
    await base.advance(5_000);
    const { beforeSend } = leadership.bounds();
    expect(beforeSend).not.toThrow();
    jump(60_000);
    expect(beforeSend).toThrow(NotLeaderError);
    expect(leadership.isOpen).toBe(false);
    expect(() => leadership.check()).toThrow("its time as leader is over");
    await base.advance(0);
    expect(String(leadership.lost.reason)).toContain("could not be renewed for 10000 ms");
  });

  test("leads again at once when the lease is still its own", async () => {
    const { base, clock, jump } = suspendable();
    const server = new LeaseServer();
    const elector = electorOn(server.handle, clock, "one");
    const first = await elector.acquire(new AbortController().signal);
    await base.advance(5_000);
    jump(60_000);
    expect(first.isOpen).toBe(false);
    const again = await elector.acquire(new AbortController().signal);
    expect(again.isOpen).toBe(true);
    expect(base.monotonic()).toBe(5_000);
    await again.release();
  });

  test("goes on when the wall clock is set back", async () => {
    const { base, clock, jump } = suspendable();
    const leadership = await electorOn(new LeaseServer().handle, clock, "one").acquire(
      new AbortController().signal,
    );
    jump(-3_600_000);
    await base.advance(60_000);
    expect(leadership.isOpen).toBe(true);
    await leadership.release();
  });
});

const replica = fc.record(faultyMachine({ lastCutOff: 100_000, requests: 30 }));

test("no two replicas ever lead at once, whatever their clocks and their network do", async () => {
  let terms = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(replica, { minLength: 2, maxLength: 3 }), async (replicas) => {
      const base = new VirtualClock();
      const server = new LeaseServer();
      const stop = new AbortController();
      const leading = new Map<number, Leadership>();
      const running = replicas.map(async (settings, index) => {
        const clock = machineClock(base, settings);
        const wire = faultyWire(server.handle, settings, { base, delay: 3_000 });
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
