// A whole year of the operator, in four zones at once: each run at its moment, counted and compared with a table.
import { expect, test } from "vitest";
import { Hpa } from "../../operators/scheduled-scaler/src/api/v1/hpa.js";
import { hpaController } from "../../operators/scheduled-scaler/src/controllers/hpa.js";
import { dueIn } from "../../packages/runtime/src/schedule/fixtures/brute-force.js";
import { Counter, counterTarget } from "./counter.js";
import { startWorld } from "./world.js";

const day = 86_400_000;
const namespace = "default";
const year = Date.UTC(2026, 0, 1);
/** 02:15 on every day, and what the clocks do to it where they are changed. */
const zones: Readonly<Record<string, readonly string[]>> = {
  "Asia/Shanghai": [],
  "Europe/Berlin": ["2026-03-29T01:00:00Z", "2026-10-25T00:15:00Z"],
  "America/New_York": ["2026-03-08T07:00:00Z", "2026-11-01T07:15:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T15:45:00Z", "2026-10-03T15:30:00Z"],
};
const allowed = { minutes: new Set([15]), hours: new Set([2]), isDay: () => true };
const shown = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z");
/** Nobody sets this clock, so nobody has to look whether somebody did: a million times in a year. */
const controllers = [{ ...hpaController, sources: [] }];

test("every day of 2026 has its run in every zone", { timeout: 120_000 }, async () => {
  const names = Object.keys(zones).map((zone) => zone.toLowerCase().replace(/[^a-z]/g, "-"));
  await using world = await startWorld({
    start: year - 60_000,
    kinds: [Hpa, Counter],
    controllers,
    async objects(client) {
      for (const [index, timeZone] of Object.keys(zones).entries()) {
        const name = names[index] ?? "";
        await client.create(Counter, { metadata: { name, namespace }, spec: {} });
        const jobs = [{ name: "daily", schedule: "15 2 * * *", size: 3 }];
        const spec = { scaleTarget: counterTarget(name), timeZone, historyLimit: 100, jobs };
        await client.create(Hpa, { metadata: { name, namespace }, spec });
      }
    },
  });
  const runs = names.map(() => new Set<string>());
  for (let passed = 0; passed < 365; passed += 73) {
    await world.clock.advance(73 * day);
    for (const [index, name] of names.entries()) {
      const { status } = await world.client.get(Hpa, name, { namespace });
      for (const { time } of status?.history ?? []) runs[index]?.add(time);
    }
  }
  for (const [index, [timeZone, changed]] of Object.entries(zones).entries()) {
    const expected = dueIn(timeZone, year, year + 365 * day, allowed).map(shown);
    expect([...(runs[index] ?? [])].toSorted()).toEqual(expected);
    expect(expected).toHaveLength(365);
    for (const instant of changed) expect(runs[index]).toContain(instant);
  }
  expect(world.errors).toEqual([]);
});
