import { Deployment } from "@kubewright/api";
import { expect, test } from "vitest";
import { describeEvent, serials } from "./event-object.js";

test("event names: events of one object in the same millisecond have names of their own", () => {
  const names = new Set<string>();
  for (let serial = serials - 500; serial < serials + 500; serial++) {
    const origin = { controller: "test", instance: "test-1", now: 1_700_000_000_000, serial };
    const event = describeEvent(
      Deployment,
      { metadata: { name: "web" } },
      { reason: "Seen", note: "again" },
      origin,
    );
    names.add(event.metadata?.name ?? "");
  }
  expect(names.size).toBe(1_000);
  expect([...names].every((name) => /^web\.[0-9a-f]{16}$/.test(name))).toBe(true);
});

test("event names: an object with the longest name there can be has events with a valid name", () => {
  const origin = { controller: "test", instance: "test-1", now: 1_700_000_000_000, serial: 1 };
  for (const object of [`${"a".repeat(235)}.${"b".repeat(17)}`, "c".repeat(253)]) {
    const event = describeEvent(
      Deployment,
      { metadata: { name: object } },
      { reason: "Seen", note: "again" },
      origin,
    );
    const name = event.metadata?.name ?? "";
    expect(name.length).toBeLessThanOrEqual(253);
    expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
    expect(name).not.toContain("..");
  }
});
