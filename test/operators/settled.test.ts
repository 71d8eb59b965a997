// What is settled is left alone: no write at all, however long one looks.
import { Pod, PodDisruptionBudget } from "@kubewright/api";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, type OperatorUnderTest, operators, running } from "./operators.js";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The second laid over the first, object by object. */
function overlaid(one: Json, other: Json): Json {
  const result: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const below = one[name];
    result[name] = isObject(below) && isObject(value) ? overlaid(below, value) : value;
  }
  return result;
}

/** The same with nothing in any list: a list of the items that a list of a pod template has is emptied too. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, emptied(field)]));
}

/** The same with its items, in which all lists are empty. */
function emptiedInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? emptied(item) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, emptiedInside(field)]));
}

/** Specs with each optional list absent, empty, filled, and filled with items whose own lists are empty. */
function variants({ spec, lists }: OperatorUnderTest): Readonly<Record<string, Json>> {
  const base = spec as Json;
  return {
    absent: base,
    empty: overlaid(base, emptied(lists) as Json),
    filled: overlaid(base, lists as Json),
    "filled-with-empty": overlaid(base, emptiedInside(lists) as Json),
  };
}

const isOwnAffair = (write: string) => /webhookconfigurations|customresourcedefinitions/.test(write);

describe.each(operators)("$name", (operator) => {
  test("with its lists absent, empty and filled stands still for an hour, and through a restart", async () => {
    await using cluster = await testCluster(running(operator));
    await operator.prepare?.(cluster);
    const specs = Object.entries(variants(operator));
    for (const [name, spec] of specs) await create(cluster, operator, name, spec);
    for (const [name] of specs) await cluster.condition(kindOf(operator), name, "Progressing", "False");
    await cluster.settle();
    const kinds = [kindOf(operator), ...operator.children, Pod, PodDisruptionBudget];
    const versions = async () => {
      const lists = await Promise.all(kinds.map((kind) => cluster.list(kind as typeof Pod)));
      return lists.flat().map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`);
    };
    const before = await versions();
    const writes = cluster.manager!.writes.length;
    await cluster.advance("1h");
    expect(await versions()).toEqual(before);
    await cluster.restartManager();
    await cluster.advance("1h");
    expect(await versions()).toEqual(before);
    expect(cluster.manager!.writes.slice(writes).filter((write) => !isOwnAffair(write))).toEqual([]);
    expect(before.length).toBeGreaterThanOrEqual(specs.length * kinds.length - 4);
    expect(cluster.errors).toEqual([]);
  });
});

/** Many times more than are reconciled at once. KUBEWRIGHT_LONG_TESTS=1 has 1,000 of each. */
const isLong = Boolean(process.env["KUBEWRIGHT_LONG_TESTS"]);
const count = isLong ? 1_000 : 100;

test.each(operators)(
  `$name: ${count} created at once settle with as few writes as can be`,
  { timeout: isLong ? 900_000 : 120_000 },
  async (operator) => {
    await using cluster = await testCluster({ ...running(operator), nodes: 50 });
    await operator.prepare?.(cluster);
    const begun = cluster.manager!.writes.length;
    for (let i = 0; i < count; i++) await create(cluster, operator, `web-${i}`);
    const isSettled = ({
      status,
    }: {
      status?: { conditions?: readonly { type: string; status: string }[] };
    }) =>
      status?.conditions?.some(({ type, status: is }) => type === "Progressing" && is === "False") ?? false;
    const allSettled = async () =>
      (await cluster.list(kindOf(operator))).every((object) => isSettled(object as never));
    for (let minute = 0; minute < 10 && !(await allSettled()); minute++) await cluster.advance("1m");
    expect(await allSettled()).toBe(true);
    const writes = new Map<string, number>();
    for (const write of cluster.manager!.writes.slice(begun)) {
      if (/\/events(\/|$|\?)/.test(write)) continue;
      const name = /web-\d+/.exec(write)?.[0] ?? write;
      writes.set(name, (writes.get(name) ?? 0) + 1);
    }
    expect(writes.size).toBe(count);
    expect(Math.max(...writes.values())).toBeLessThanOrEqual(operator.children.length + 2);
    expect(cluster.errors).toEqual([]);
  },
);
