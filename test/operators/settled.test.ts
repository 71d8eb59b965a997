// What is settled is left alone: no write at all, however long one looks.
import { Pod } from "@kubewright/api";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, operators, running, settled } from "./operators.js";

describe.each(operators)("$name", (operator) => {
  test("settled objects stand still for an hour, and through a restart", async () => {
    await using cluster = await testCluster(running(operator));
    await settled(cluster, operator);
    await cluster.settle();
    const kinds = [kindOf(operator), ...operator.children, Pod];
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
    const isOwnAffair = (write: string) => /webhookconfigurations|customresourcedefinitions/.test(write);
    expect(cluster.manager!.writes.slice(writes).filter((write) => !isOwnAffair(write))).toEqual([]);
    expect(before.length).toBeGreaterThan(kinds.length);
  });

  test("a thousand at once settle with as few writes as can be", { timeout: 240_000 }, async () => {
    const count = 1_000;
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
  });
});
