// The status, in virtual time, with a model in place of mongod: each version of it that was ever written says only what holds.
import { isConditionTrue, Pod, StatefulSet } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoWorld, name, namespace } from "./fixtures/mongo-world.js";

type Status = NonNullable<MongoDBCommunity["status"]>;

/** Collects every status that is written. */
function record(w: MongoWorld): { readonly all: readonly Status[]; stop(): void } {
  const all: Status[] = [];
  const end = new AbortController();
  const events = w.cluster.client.watch(MongoDBCommunity, { namespace, signal: end.signal });
  void (async () => {
    for await (const { object } of events) if (object.status) all.push(object.status);
  })().catch(() => undefined);
  return { all, stop: () => end.abort() };
}

const reasonOf = ({ conditions }: Status, type: string): string | undefined =>
  conditions?.find((each) => each.type === type)?.reason;

/** What no status may say, whatever happens. */
function expectTrue(status: Status): void {
  const { phase, ready, primary, members = [], conditions } = status;
  const [healthy = 0, wanted = 0] = (ready ?? "").split("/").map(Number);
  const voters = members.filter(({ voting }) => voting).length;
  const text = JSON.stringify(status, undefined, 1);
  if (phase === "Running") {
    expect(primary, text).toBeDefined();
    expect(healthy, text).toBeGreaterThan(Math.floor(voters / 2));
    expect(isConditionTrue(conditions, "Available"), text).toBe(true);
  }
  if (healthy < wanted) expect(status.step, text).toBeDefined();
  if (primary === undefined) {
    expect(isConditionTrue(conditions, "Available"), text).toBe(false);
    expect(status.featureCompatibilityVersion, text).toBeUndefined();
    expect(status.currentMongoDBMembers, text).toBeUndefined();
  }
  if (isConditionTrue(conditions, "MajorityLost")) expect(phase, text).toBe("Failed");
  if (members.length > 0 && members.every(({ version }) => version === undefined))
    expect(status.version, text).toBeUndefined();
}

describe("the status is true at every moment", { timeout: 60_000 }, () => {
  test.each(["Background", "Orphan"] as const)(
    "when the StatefulSet is deleted (%s)",
    async (propagation) => {
      await using w = await MongoWorld.start();
      await w.create({ members: 5 });
      await w.settled(5);
      const { all, stop } = record(w);
      await w.cluster.client.delete(StatefulSet, name, { namespace, propagationPolicy: propagation });
      await w.cluster.advance("1s");
      await w.settled(5);
      await w.cluster.advance("20s");
      stop();
      expect(all.length).toBeGreaterThan(1);
      for (const status of all) expectTrue(status);
      const phases = all.map(({ phase, ready }) => `${phase} ${ready}`);
      if (propagation === "Background") {
        expect(phases).toContain("Failed 0/5");
        expect(phases).toContain("Pending 0/5");
        expect(new Set(all.map((status) => reasonOf(status, "Degraded")))).toContain("NoPrimary");
        expect(new Set(all.map((status) => reasonOf(status, "Progressing")))).toContain("Electing");
      }
      expect(phases).not.toContain("Running 0/5");
      expect(phases.at(-1)).toBe("Running 5/5");
    },
  );

  test("when a primary and then a majority are lost, also while it is paused", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    const { status } = await w.settled(3);
    const { all, stop } = record(w);
    await w.cluster.delete(Pod, status?.primary ?? "");
    await w.cluster.advance("30s");
    await w.settled(3);
    await w.patch({ paused: true });
    w.mongo.pause("db-1");
    w.mongo.pause("db-2");
    await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "True", { timeout: "1m" });
    expect((await w.get()).status).toMatchObject({
      phase: "Failed",
      ready: expect.not.stringMatching("3/3"),
    });
    w.mongo.resume("db-1");
    w.mongo.resume("db-2");
    await w.cluster.condition(MongoDBCommunity, name, "MajorityLost", "False", { timeout: "2m" });
    await w.patch({ paused: false });
    await w.settled(3);
    stop();
    for (const each of all) expectTrue(each);
  });

  test("a paused object of which nothing runs is not Running", async () => {
    await using w = await MongoWorld.start();
    await w.create({ paused: true });
    await w.cluster.advance("30s");
    expect((await w.get()).status).toMatchObject({ phase: "Pending", ready: "0/3" });
    expect(await w.condition("MajorityLost")).toMatchObject({ status: "False", reason: "NotInitiated" });
  });
});

describe("a member that does not come back by itself", () => {
  test.each([
    ["RECOVERING", "too stale to catch up"],
    ["ROLLBACK", undefined],
  ] as const)("in %s is reported with the reason when it lasts", async (state, why) => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    const { replication } = w.mongo.mongod("db-2");
    replication.hold(state, why);
    await w.cluster.eventually(MongoDBCommunity, name, ({ status }) => status?.members?.[2]?.state === state);
    await w.cluster.advance("30s");
    expect(await w.condition("Degraded")).toMatchObject({ status: "True", reason: "MemberUnhealthy" });
    expect(await w.events()).not.toContain("MemberStuck");
    await w.cluster.advance("45s");
    const { status } = await w.get();
    expect(status).toMatchObject({ phase: "Running", ready: "2/3" });
    expect(status?.members?.[2]).toMatchObject({ state, healthy: false, stuck: true });
    expect(status?.members?.[2]?.problem).toContain(why ?? "for too long");
    expect(await w.condition("Degraded")).toMatchObject({ status: "True", reason: "MemberStuck" });
    expect((await w.events()).filter((reason) => reason === "MemberStuck")).toHaveLength(1);
    replication.release();
    await w.settled(3);
    expect(await w.condition("Degraded")).toMatchObject({ status: "False" });
  });

  test("in STARTUP2 is reported when its first copy takes long, and has no vote before it has the data", {
    timeout: 60_000,
  }, async () => {
    await using w = await MongoWorld.start({ catchUp: 16 * 60_000 });
    await w.create({ members: 1 });
    await w.settled(1);
    await w.patch({ members: 2 });
    await w.cluster.eventually(
      MongoDBCommunity,
      name,
      ({ status }) => status?.members?.[1]?.state === "STARTUP2",
      { timeout: "1m" },
    );
    await w.cluster.advance("14m");
    expect((await w.get()).status?.members?.[1]).toMatchObject({ healthy: false, voting: false });
    expect(await w.events()).not.toContain("MemberStuck");
    await w.cluster.advance("90s");
    const { status } = await w.get();
    expect(status?.members?.[1]).toMatchObject({ state: "STARTUP2", stuck: true, voting: false });
    expect(status?.members?.[1]?.problem).toContain(
      "it copies the data, for too long: see the log of its pod",
    );
    expect((await w.events()).filter((reason) => reason === "MemberStuck")).toHaveLength(1);
    await w.settled(2);
    expect((await w.get()).status?.members?.[1]).toMatchObject({ state: "SECONDARY", voting: true });
  });

  test("a lost majority is reported within seconds, while the old primary does not know yet", async () => {
    await using w = await MongoWorld.start();
    await w.create();
    await w.settled(3);
    const { all, stop } = record(w);
    for (const member of ["db-1", "db-2"]) await w.cluster.client.delete(Pod, member, { namespace });
    await w.cluster.advance("5s");
    stop();
    const lost = all.filter(({ conditions }) => isConditionTrue(conditions, "MajorityLost"));
    expect(lost[0]).toMatchObject({ phase: "Failed", primary: "db-0" });
    expect(reasonOf(lost[0] ?? {}, "Available")).toBe("MajorityLost");
    await w.settled(3);
    expect(await w.condition("MajorityLost")).toMatchObject({ status: "False" });
    expect(await w.events()).toEqual(expect.arrayContaining(["MajorityLost", "MajorityRegained"]));
  });
});
