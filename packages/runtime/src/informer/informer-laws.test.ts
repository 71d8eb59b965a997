// The whole informer against a model, over random histories: events, lost connections, silence, compaction, own writes
// whose answers overtake or fall behind their events.
import { ConfigMap, type KubeObject, VirtualClock } from "@kubewright/api";
import { Client, ConnectionError } from "@kubewright/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeServer } from "./fixtures/fake-server.js";
import { Informer } from "./informer.js";

const name = fc.constantFrom("a", "b", "c");
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("put" as const), name, own: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("delete" as const), name, own: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("answer" as const), index: fc.nat(3) }) },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant("deliver" as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("deliver all" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("pass time" as const), by: fc.constantFrom(500, 20_000) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("disconnect" as const), broken: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("compact" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("bookmark" as const) }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** The state of one key at every revision: a version, or nothing. */
class KeyHistory {
  readonly #states: { readonly revision: number; readonly version: string | undefined }[] = [
    { revision: 0, version: undefined },
  ];
  /** The newest revision of this key whose write was answered to us. */
  answered = 0;

  add(revision: number, version: string | undefined): void {
    this.#states.push({ revision, version });
  }

  /** The versions that may be read now: the one at the answered revision, and every later one. */
  get readable(): (string | undefined)[] {
    const first = this.#states.findLastIndex(({ revision }) => revision <= this.answered);
    return this.#states.slice(first).map(({ version }) => version);
  }
}

class World {
  readonly server = new FakeServer();
  readonly clock = new VirtualClock();
  readonly histories = new Map<string, KeyHistory>();
  readonly answers: (() => void)[] = [];
  readonly received = new Map<string, KubeObject>();
  readonly informer: Informer<KubeObject>;
  /** Violations: changes that event handlers should not have received. */
  readonly broken: string[] = [];

  constructor(streaming: "served" | "refused") {
    this.server.streaming = streaming;
    const client = new Client({ transport: this.server.transport, clock: this.clock });
    this.informer = new Informer<KubeObject>({
      client,
      resource: ConfigMap,
      clock: this.clock,
      random: () => 0.5,
      pageSize: 2,
    });
    this.informer.onChange(({ key, previous, current }) => {
      if (version(previous) !== version(this.received.get(key)))
        this.broken.push(`${key}: a change is missing`);
      if (version(previous) === version(current)) this.broken.push(`${key}: a change that is none`);
      if (previous && current && previous.metadata?.uid !== current.metadata?.uid)
        this.broken.push(`${key}: two objects in one change`);
      if (current) this.received.set(key, current);
      else this.received.delete(key);
    });
  }

  put(key: string, own: boolean): void {
    const object = this.server.put(key);
    this.#history(key).add(this.server.revision, version(object));
    const revision = this.server.revision;
    if (own) this.#answer(key, revision, () => this.informer.recordWrite(object));
  }

  delete(key: string, own: boolean): void {
    const last = this.server.state[`default/${key}`];
    const object = this.server.remove(key);
    if (!object) return;
    this.#history(key).add(this.server.revision, undefined);
    const revision = this.server.revision;
    // The server sends the deleted object in its last state.
    const metadata = { ...object.metadata, resourceVersion: last };
    if (own) this.#answer(key, revision, () => this.informer.recordDelete(metadata));
  }

  #answer(key: string, revision: number, record: () => void): void {
    this.answers.push(() => {
      record();
      const history = this.#history(key);
      history.answered = Math.max(history.answered, revision);
    });
  }

  #history(key: string): KeyHistory {
    const history = this.histories.get(key) ?? new KeyHistory();
    this.histories.set(key, history);
    return history;
  }

  checkReads(): void {
    for (const [key, history] of this.histories) {
      const read = version(this.informer.store.get(`default/${key}`));
      expect(history.readable, `${key} was read as ${read}, which is older than an answered write`).toContain(
        read,
      );
    }
  }
}

async function perform(world: World, next: Command): Promise<void> {
  const { server, clock } = world;
  switch (next.type) {
    case "put":
      return world.put(next.name, next.own);
    case "delete":
      return world.delete(next.name, next.own);
    case "answer":
      return world.answers.splice(next.index, 1)[0]?.();
    case "deliver":
      return server.deliver(next.count);
    case "deliver all":
      server.deliver();
      await clock.settle();
      return server.hold();
    case "pass time":
      return clock.advance(next.by);
    case "compact":
      return server.compact();
    case "bookmark":
      return server.bookmark();
    case "disconnect":
      return server.disconnect(next.broken ? new ConnectionError("reset", "closed") : undefined);
  }
}

test.each(["served", "refused"] as const)(
  "no change is lost or delivered twice, and no own write is unseen (streaming %s)",
  async (streaming) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 60, size: "max" }), async (commands) => {
        const world = new World(streaming);
        const { server, clock, informer } = world;
        server.put("before");
        informer.start();
        await clock.settle();
        server.hold();
        for (const next of commands) {
          await perform(world, next);
          world.checkReads();
          await clock.settle();
          world.checkReads();
        }
        for (const answer of world.answers.splice(0)) {
          answer();
          world.checkReads();
        }
        server.deliver();
        await clock.advance(60_000);
        server.bookmark();
        await clock.advance(60_000);
        const delivered = Object.fromEntries(
          [...world.received].map(([key, object]) => [key, version(object)]),
        );
        const cached = [...informer.store.entries()].map(([key, object]) => [key, version(object)]);
        expect(Object.fromEntries(cached)).toEqual(server.state);
        expect(delivered).toEqual(server.state);
        expect(world.broken).toEqual([]);
        await informer.close();
        expect(clock.pending).toBe(0);
        expect(clock.inFlight).toEqual([]);
        expect(server.watches.size).toBe(0);
      }),
      { numRuns: 150 },
    );
  },
  60_000,
);

function version(object: KubeObject | undefined): string | undefined {
  return object?.metadata?.resourceVersion;
}
