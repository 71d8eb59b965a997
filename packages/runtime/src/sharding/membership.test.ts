import { sleep, type Transport, VirtualClock } from "@kubewright/api";
import { Client } from "@kubewright/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotLeaderError } from "../leadership/fence.js";
import { faultyMachine, faultyWire, machineClock } from "../leadership/fixtures/faulty-machine.js";
import { LeaseServer } from "../leadership/fixtures/lease-server.js";
import type { Membership } from "./membership.js";
import { Sharder, type ShardingOptions } from "./sharder.js";

const keys = Array.from({ length: 60 }, (_, index) => `shop/object-${index}`);

function setUp() {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const stop = new AbortController();
  let ids = 0;
  const sharderOn = (transport: Transport, more: Partial<ShardingOptions> = {}) =>
    new Sharder({
      client: new Client({ transport, clock: more.clock ?? clock }),
      clock,
      random: () => 0,
      newId: () => `${++ids}`,
      group: "it",
      namespace: "default",
      identity: "someone",
      onError: () => undefined,
      ...more,
    });
  return { clock, server, stop, sharderOn, join: () => sharderOn(server.handle).join(stop.signal) };
}

const held = (members: readonly Membership[]): readonly (readonly number[])[] =>
  keys.map((key) =>
    members.flatMap((member, index) => (member.view.mayStart(key) && member.isOpen ? index : [])),
  );

describe("shard members", () => {
  test("own every key exactly once, and only keys that must move do", async () => {
    const { clock, server, join } = setUp();
    const first = await join();
    await clock.advance(1_000);
    expect(held([first])).toEqual(keys.map(() => [0]));
    const second = await join();
    await clock.advance(10_000);
    const two = held([first, second]);
    for (const owners of two) expect(owners).toHaveLength(1);
    const third = await join();
    await clock.advance(10_000);
    const three = held([first, second, third]);
    for (const [index, owners] of three.entries()) expect(owners).toEqual(owners[0] === 2 ? [2] : two[index]);
    await clock.runUntilSettled(third.leave());
    await clock.advance(10_000);
    expect(held([first, second])).toEqual(two);
    expect(server.leases.size).toBe(3);
    await clock.runUntilSettled(Promise.all([first.leave(), second.leave()]));
    expect([...server.leases.keys()]).toEqual(["it"]);
    expect(clock.pending).toBe(0);
  });

  test("take over soon after another came, left or died", async () => {
    const { clock, server, sharderOn, join, stop } = setUp();
    const settled = async (members: readonly Membership[]): Promise<number> => {
      const began = clock.monotonic();
      await clock.runUntil(() => held(members).every(({ length }) => length === 1));
      return clock.monotonic() - began;
    };
    const first = await join();
    expect(await settled([first])).toBeLessThan(100);
    let isDead = false;
    const mortal: Transport = (request) => (isDead ? new Promise(() => undefined) : server.handle(request));
    const second = await sharderOn(mortal).join(stop.signal);
    await clock.advance(500);
    expect(await settled([first, second])).toBeLessThan(4_500);
    const third = await join();
    await clock.advance(500);
    expect(await settled([first, second, third])).toBeLessThan(4_500);
    await clock.runUntilSettled(third.leave());
    expect(await settled([first, second])).toBeLessThan(2_500);
    await clock.advance(10_000);
    isDead = true;
    const died = clock.monotonic();
    await clock.runUntil(() => !second.isOpen);
    await settled([first]);
    expect(clock.monotonic() - died).toBeLessThan(18_000);
  });

  test("are notified of keys they gain, and wait for the member that has them in flight", async () => {
    const { clock, join } = setUp();
    const first = await join();
    await clock.advance(1_000);
    for (const key of keys) expect(first.begin(key)).toBe(true);
    const second = await join();
    const gained = new Set<string>();
    const evicted = new Set<string>();
    second.subscribe({
      gained: (isGained) => {
        for (const key of keys) if (isGained(key)) gained.add(key);
      },
      evicted: () => undefined,
    });
    first.subscribe({
      gained: () => undefined,
      evicted: (isLost) => {
        for (const key of keys) if (isLost(key)) evicted.add(key);
      },
    });
    await clock.advance(10_000);
    const moved = keys.filter((key) => second.view.owns(key));
    expect(moved.length).toBeGreaterThan(10);
    expect(keys.filter((key) => second.begin(key))).toEqual([]);
    // Keys that stay are not held up.
    const [kept = ""] = keys.filter((key) => first.view.owns(key));
    first.end(kept);
    expect(first.begin(kept)).toBe(true);
    expect(evicted.size).toBe(0);
    await clock.advance(30_000);
    expect([...evicted]).toEqual(moved);
    for (const key of moved) first.end(key);
    await clock.advance(10_000);
    expect([...gained]).toEqual(moved);
    expect(moved.every((key) => second.begin(key))).toBe(true);
  });

  test("that fall silent are taken out after their lease's duration, and have stopped before", async () => {
    const { clock, server, sharderOn, join, stop } = setUp();
    let isCut = false;
    const flaky: Transport = (request) =>
      isCut
        ? new Promise((_, reject) =>
            request.signal?.addEventListener("abort", () => reject(request.signal?.reason)),
          )
        : server.handle(request);
    const silent = await sharderOn(flaky).join(stop.signal);
    const other = await join();
    await clock.advance(20_000);
    isCut = true;
    let lostAt = 0;
    silent.lost.addEventListener("abort", () => {
      lostAt = clock.monotonic();
    });
    await clock.runUntil(() => keys.every((key) => other.view.mayStart(key)));
    expect(lostAt).toBeGreaterThan(0);
    expect(clock.monotonic() - lostAt).toBeGreaterThanOrEqual(5_000);
    expect(clock.monotonic()).toBeLessThan(45_000);
    expect(silent.lost.reason).toBeInstanceOf(NotLeaderError);
    expect(() => silent.bounds()).toThrow("no longer shares the work");
    await clock.advance(10_000);
    expect([...server.leases.keys()].sort()).toEqual(["it", other.id]);
  });

  test.each([
    ["its lease", (server: LeaseServer, id: string) => server.leases.delete(id)],
    ["the map", (server: LeaseServer) => server.leases.delete("it")],
  ])("that lose %s start over", async (_, remove) => {
    const { clock, server, join } = setUp();
    const member = await join();
    await clock.advance(5_000);
    remove(server, member.id);
    await clock.advance(3_000);
    expect(member.lost.aborted).toBe(true);
    await clock.runUntilSettled(member.leave());
    const next = await join();
    await clock.advance(5_000);
    expect(held([next])).toEqual(keys.map(() => [0]));
  });

  test("begin no key before they have acknowledged the map, since silence is taken for idleness", async () => {
    const { clock, server, sharderOn, stop } = setUp();
    let isMuted = true;
    const muted: Transport = (request) => {
      const isSaying = request.method === "PUT" && JSON.stringify(request.body).includes("shard-view");
      return isMuted && isSaying ? Promise.reject(new Error("lost")) : server.handle(request);
    };
    const member = await sharderOn(muted).join(stop.signal);
    await clock.advance(8_000);
    expect(member.view.generation).toBe(1);
    expect(keys.some((key) => member.begin(key))).toBe(false);
    isMuted = false;
    await clock.advance(4_000);
    expect(keys.every((key) => member.begin(key))).toBe(true);
  });

  test("that follow an outdated map are waited for", async () => {
    const { clock, server, sharderOn, join, stop } = setUp();
    let isCut = false;
    const flaky: Transport = (request) => (isCut ? Promise.reject(new Error("cut")) : server.handle(request));
    const old = await sharderOn(flaky).join(stop.signal);
    await clock.advance(5_000);
    isCut = true;
    server.leases.delete("it");
    const next = await join();
    await clock.advance(4_000);
    expect(old.isOpen).toBe(true);
    expect(keys.some((key) => next.view.mayStart(key))).toBe(false);
    await clock.advance(20_000);
    expect(old.isOpen).toBe(false);
    expect(keys.every((key) => next.view.mayStart(key))).toBe(true);
  });
});

const replica = fc.record({
  ...faultyMachine({ lastCutOff: 150_000, requests: 40 }),
  startAt: fc.integer({ min: 0, max: 60_000 }),
  /** Leaves cleanly, or dies without a word, and comes back later. */
  endAt: fc.integer({ min: 30_000, max: 200_000 }),
  end: fc.constantFrom("leave", "crash", "stay"),
  work: fc.integer({ min: 1, max: 20_000 }),
});

type Replica = typeof replica extends fc.Arbitrary<infer R> ? R : never;

/** Counts who has which key in flight. */
class Hands {
  readonly #holders = new Map<string, Set<number>>();
  readonly clashes: string[] = [];
  begun = 0;

  take(key: string, who: number): void {
    const holders = this.#holders.get(key) ?? new Set();
    this.#holders.set(key, holders.add(who));
    this.begun += 1;
    if (holders.size > 1) this.clashes.push(`${key}: ${[...holders].join(", ")}`);
  }

  give(key: string, who: number): void {
    this.#holders.get(key)?.delete(who);
  }
}

test("no key is ever reconciled by two replicas, and every key is in one in the end", async () => {
  let begun = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(replica, { minLength: 2, maxLength: 4 }), async (replicas) => {
      const { clock: base, server, sharderOn } = setUp();
      const hands = new Hands();
      const stop = new AbortController();
      const living = new Map<number, Membership>();
      const lives = replicas.map(async (settings, who) => {
        const clock = machineClock(base, settings);
        await sleep(base, settings.startAt);
        let isDead = false;
        const transport = faultyWire(server.handle, settings, {
          base,
          delay: 750,
          faultsEnd: 200_000,
          isDead: () => isDead,
        });
        const sharder = sharderOn(transport, { clock, random: () => (who * 0.37) % 1 });
        const end = base.setTimer(Math.max(0, settings.endAt - base.monotonic()), () => {
          if (settings.end === "crash") isDead = true;
          leaving.abort();
        });
        const leaving = new AbortController();
        while (!stop.signal.aborted) {
          const over = AbortSignal.any([stop.signal, leaving.signal]);
          const member = await sharder.join(over).catch(() => undefined);
          if (!member) break;
          living.set(who, member);
          await live(member, who, settings, base, hands, AbortSignal.any([over, member.lost]));
          living.delete(who);
          if (isDead) break;
          await member.leave();
          if (leaving.signal.aborted) break;
        }
        end.cancel();
        if (settings.end === "stay" || stop.signal.aborted) return;
      });
      await base.advance(320_000);
      expect(hands.clashes).toEqual([]);
      if (living.size > 0) {
        const members = [...living.values()];
        for (const owners of held(members)) expect(owners).toHaveLength(1);
      }
      begun += hands.begun;
      stop.abort(new Error("over"));
      await base.runUntilSettled(Promise.all(lives));
      expect(hands.clashes).toEqual([]);
    }),
    { numRuns: 40 },
  );
  expect(begun).toBeGreaterThan(1_000);
}, 120_000);

/** Works as controllers do: takes keys it may take, keeps them for a while, lets go of all when its time is over. */
async function live(
  member: Membership,
  who: number,
  { work }: Replica,
  base: VirtualClock,
  hands: Hands,
  over: AbortSignal,
): Promise<void> {
  const ends = new Map<string, AbortController>();
  const inFlight: Promise<void>[] = [];
  const unsubscribe = member.subscribe({
    gained: () => undefined,
    evicted: (isLost) => {
      for (const [key, end] of ends) if (isLost(key)) end.abort();
    },
  });
  const carry = async (key: string): Promise<void> => {
    const end = new AbortController();
    ends.set(key, end);
    hands.take(key, who);
    await sleep(base, work, AbortSignal.any([over, end.signal])).catch(() => undefined);
    hands.give(key, who);
    ends.delete(key);
    member.end(key);
  };
  for (let turn = who; !over.aborted; turn += 7) {
    const key = keys[turn % keys.length] ?? "";
    if (!ends.has(key) && member.begin(key)) inFlight.push(carry(key));
    await sleep(base, 250, over).catch(() => undefined);
  }
  await Promise.all(inFlight);
  unsubscribe();
}
