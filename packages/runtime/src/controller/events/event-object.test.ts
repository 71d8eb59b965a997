import { Deployment } from "@kubewright/api";
import { expect, test } from "vitest";
import { describeEvent, serials } from "./event-object.js";

test("events of one object in the same millisecond have names of their own", () => {
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
