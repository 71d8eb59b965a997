import { type KubeObject, VirtualClock } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DeltaQueue, type ObjectChange } from "./delta-queue.js";

const object = (uid: string, resourceVersion: string): KubeObject => ({
  metadata: { name: "a", uid, resourceVersion },
});
const label = (state: KubeObject | undefined) =>
  state && `${state.metadata?.uid}@${state.metadata?.resourceVersion}`;

function newQueue() {
  const clock = new VirtualClock();
  const delivered: ObjectChange<KubeObject>[] = [];
  const queue = new DeltaQueue<KubeObject>({ clock, deliver: (change) => delivered.push(change) });
  /** Changes keys from one state to the next, as a cache does. */
  const states = new Map<string, KubeObject>();
  const change = (key: string, current: KubeObject | undefined, initial = false) => {
    queue.add({ key, previous: states.get(key), current, initial, origin: "watch" });
    if (current) states.set(key, current);
    else states.delete(key);
  };
  const lines = () =>
    delivered.map(
      ({ key, previous, current }) => `${key}: ${label(previous) ?? "-"} → ${label(current) ?? "-"}`,
    );
  return { clock, queue, change, delivered, lines, states };
}

describe("delta queue: changes of one key before its delivery", () => {
  const x = (version: number) => object("x", String(version));
  const y = (version: number) => object("y", String(version));
  const z = (version: number) => object("z", String(version));
  const cases: [string, (KubeObject | undefined)[], (KubeObject | undefined)[], string[]][] = [
    ["are delivered once", [], [x(1), x(2), x(3)], ["a: - → x@3"]],
    ["begin with the state delivered before", [x(1)], [x(2), x(3)], ["a: x@1 → x@3"]],
    ["end with its deletion", [x(1)], [x(2), undefined], ["a: x@1 → -"]],
    ["that cancel out are not delivered", [], [x(1), undefined], []],
    [
      "into another object of the name are a deletion and an addition",
      [x(1)],
      [undefined, y(2)],
      ["a: x@1 → -", "a: - → y@2"],
    ],
    ["into another object with no deletion in between too", [x(1)], [y(2)], ["a: x@1 → -", "a: - → y@2"]],
    [
      "leave out objects that came and went",
      [x(1)],
      [undefined, y(2), undefined, z(3)],
      ["a: x@1 → -", "a: - → z@3"],
    ],
  ];
  test.each(cases)("%s", async (_name, before, changes, expected) => {
    const { clock, change, delivered, lines } = newQueue();
    for (const state of before) change("a", state);
    await clock.settle();
    delivered.length = 0;
    for (const state of changes) change("a", state);
    expect(lines()).toEqual([]);
    await clock.settle();
    expect(lines()).toEqual(expected);
  });
});

test("delta queue: keys are delivered in the order of their first change", async () => {
  const { clock, change, delivered } = newQueue();
  for (const key of ["c", "a", "b"]) change(key, object(key, "1"));
  change("c", object("c", "2"));
  await clock.settle();
  expect(delivered.map(({ key }) => key)).toEqual(["c", "a", "b"]);
});

test("delta queue: an initial change that is followed by another is no longer initial", async () => {
  const { clock, change, delivered } = newQueue();
  change("a", object("a", "1"), true);
  change("b", object("b", "1"), true);
  change("b", object("b", "2"));
  await clock.settle();
  expect(delivered.map(({ initial }) => initial)).toEqual([true, false]);
});

test("delta queue: many keys are delivered in batches", async () => {
  const { clock, queue, change, delivered } = newQueue();
  for (let index = 0; index < 2500; index++) change(`k${index}`, object(`k${index}`, "1"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(delivered.length).toBe(1000);
  await clock.settle();
  expect(delivered.length).toBe(2500);
  expect(queue.length).toBe(0);
});

test("delta queue: closing leaves nothing to deliver, and nothing in flight", async () => {
  const { clock, queue, change, delivered } = newQueue();
  change("a", object("a", "1"));
  queue.close();
  expect(clock.inFlight).toEqual([]);
  await clock.settle();
  expect(delivered).toEqual([]);
});

const step = fc.oneof(
  fc.record({ type: fc.constant("put" as const), key: fc.nat(3), renewed: fc.boolean() }),
  fc.record({ type: fc.constant("delete" as const), key: fc.nat(3) }),
  fc.record({ type: fc.constant("deliver" as const) }),
);

test("delta queue: deliveries form a chain from nothing to the cached state, one object per link", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, change, delivered, states } = newQueue();
      let version = 0;
      for (const next of steps) {
        if (next.type === "deliver") {
          await clock.settle();
          continue;
        }
        const key = `k${next.key}`;
        if (next.type === "delete") change(key, undefined);
        else {
          const uid = next.renewed ? undefined : states.get(key)?.metadata?.uid;
          change(key, object(uid ?? `u${++version}`, String(++version)));
        }
      }
      await clock.settle();
      const received = new Map<string, string | undefined>();
      for (const { key, previous, current } of delivered) {
        expect(label(previous)).toBe(received.get(key));
        expect(label(current)).not.toBe(label(previous));
        if (previous && current) expect(previous.metadata?.uid).toBe(current.metadata?.uid);
        received.set(key, label(current));
      }
      for (const [key, last] of received) expect(last).toBe(label(states.get(key)));
      for (const key of states.keys()) expect(received.has(key)).toBe(true);
    }),
  );
});
