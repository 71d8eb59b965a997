import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { EventExpiry } from "./event-expiry.js";
import { MemoryStorage } from "./index.js";

const minute = 60_000;
const ttl = 60 * minute;
const event = (name: string, creationTimestamp?: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { namespace: "default", name, uid: name, ...(creationTimestamp ? { creationTimestamp } : {}) },
});
const names = (storage: MemoryStorage) =>
  [...storage.list("events", { prefix: "" })].map(({ metadata }) => metadata.name);

test("event expiry: Events are deleted an hour after they were last written, other objects stay", async () => {
  const clock = new VirtualClock();
  const storage = new MemoryStorage({ clock });
  const expiry = new EventExpiry({ storage, clock, ttl });
  storage.put("pods", "default/a", event("pod"), "absent");
  storage.put("events", "default/a", event("a"), "absent");
  storage.put("events", "default/b", event("b"), "absent");
  await clock.advance(30 * minute);
  storage.put("events", "default/b", event("b"), "any");
  storage.put("events", "default/c", event("c"), "absent");
  storage.delete("events", "default/c", "any");
  const seen: string[] = [];
  storage.subscribe("events", storage.revision, ({ type, key }) => seen.push(`${type} ${key}`));
  await clock.advance(29 * minute);
  expect(names(storage)).toEqual(["a", "b"]);
  await clock.advance(2 * minute);
  expect(names(storage)).toEqual(["b"]);
  await clock.advance(30 * minute);
  expect(names(storage)).toEqual([]);
  expect(seen).toEqual(["delete default/a", "delete default/b"]);
  expect(storage.count("pods", { prefix: "" })).toBe(1);
  expect(clock.pending).toBe(0);
  expiry.close();
});

test("event expiry: Events of a reopened store keep their age", async () => {
  const clock = new VirtualClock({ start: Date.parse("2026-01-01T12:00:00Z") });
  const storage = new MemoryStorage({ clock });
  storage.put("events", "default/old", event("old", "2026-01-01T10:00:00Z"), "absent");
  storage.put("events", "default/young", event("young", "2026-01-01T11:30:00Z"), "absent");
  const expiry = new EventExpiry({ storage, clock, ttl });
  await clock.advance(minute);
  expect(names(storage)).toEqual(["young"]);
  await clock.advance(30 * minute);
  expect(names(storage)).toEqual([]);
  expiry.close();
});

test("event expiry: many expire a few at a time, and a closed server leaves no timer", async () => {
  const clock = new VirtualClock();
  const storage = new MemoryStorage({ clock });
  const expiry = new EventExpiry({ storage, clock, ttl });
  for (let index = 0; index < 1200; index++)
    storage.put("events", `default/e${index}`, event(`e${index}`), "absent");
  await clock.advance(ttl);
  expect(storage.count("events", { prefix: "" })).toBe(700);
  await clock.advance(minute);
  expect(storage.count("events", { prefix: "" })).toBe(0);
  storage.put("events", "default/a", event("a"), "absent");
  expiry.close();
  expect(clock.pending).toBe(0);
});
