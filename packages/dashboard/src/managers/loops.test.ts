import { describe, expect, test } from "vitest";
import type { ReconcileInfo } from "../protocol.js";
import { loopsIn } from "./loops.js";

const time = { at: 0, duration: 1 };
const now = Date.parse("2026-01-01T00:00:10Z");

function runs(count: number, one: Partial<ReconcileInfo>): readonly ReconcileInfo[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    manager: "m",
    controller: "box",
    kind: "Box",
    key: "shop/a",
    reasons: ["Deployment shop/a changed"],
    began: new Date(now - 5_000).toISOString(),
    duration: 1,
    waited: 0,
    outcome: "success",
    reads: [],
    writes: [{ verb: "apply", kind: "Deployment", key: "shop/a", ...time }],
    events: [],
    ...one,
  }));
}

describe("loops", () => {
  test("an object written again whenever it changed is a loop, and the write and the reason are named", () => {
    const [loop] = loopsIn(runs(8, {}), now);
    expect(loop).toMatchObject({ controller: "box", kind: "Box", key: "shop/a" });
    expect(loop?.message).toContain("apply Deployment shop/a");
  });

  test("seven times are not enough", () => {
    expect(loopsIn(runs(7, {}), now)).toEqual([]);
  });

  test("what was long ago does not count", () => {
    expect(loopsIn(runs(20, { began: new Date(now - 11_000).toISOString() }), now)).toEqual([]);
  });

  test("runs on a schedule are no loop, however often they write", () => {
    const writes = [{ verb: "status", kind: "Box", key: "shop/a", ...time }];
    expect(loopsIn(runs(20, { reasons: ["scheduled"], writes }), now)).toEqual([]);
  });

  test("writing the status whenever a child changes is no loop", () => {
    const writes = [{ verb: "status", kind: "Box", key: "shop/a", ...time }];
    expect(loopsIn(runs(20, { reasons: ["Job shop/a-1 changed"], writes }), now)).toEqual([]);
  });

  test("writing many different things is work", () => {
    const many = runs(20, {}).map((run, index) => ({
      ...run,
      reasons: ["Pod shop/0 changed"],
      writes: [{ verb: "create", kind: "Pod", key: `shop/${index}`, ...time }],
    }));
    expect(loopsIn(many, now)).toEqual([]);
  });
});
