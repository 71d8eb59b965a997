import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import type { ControllerActivity } from "../controller/activity.js";
import { silentLogger } from "../logging/logger.js";
import { ManagerHealth, type Watched } from "./manager-health.js";

const busy = (began: number, timeout: number): ControllerActivity =>
  ({ name: "box", timeout, running: [{ key: "shop/a", began }] }) as unknown as ControllerActivity;

async function ask(watched: Partial<Watched>, kind: "live" | "ready", name: string): Promise<string> {
  const clock = new VirtualClock();
  await clock.advance(1_000_000);
  const health = new ManagerHealth({
    clock,
    log: silentLogger,
    watched: { phase: "started", activities: [], overdue: 0, ...watched },
    informers: () => [],
    own: [],
  });
  const result = await health[kind].ask(name);
  return result?.reason ?? result?.outcome ?? "unknown";
}

test.each<[string, Partial<Watched>, "live" | "ready", string, string]>([
  ["a reconcile within its time", { activities: [busy(500_000, 600_000)] }, "live", "workers", "passed"],
  [
    "one that may take for ever",
    { activities: [busy(0, Number.POSITIVE_INFINITY)] },
    "live",
    "workers",
    "passed",
  ],
  ["one that is being ended", { activities: [busy(850_000, 60_000)] }, "live", "workers", "passed"],
  [
    "one far beyond its time",
    { activities: [busy(700_000, 60_000)] },
    "live",
    "workers",
    "controller box has been busy with shop/a for 300 s",
  ],
  ["a lease just run out", { overdue: 5_000 }, "live", "leader-election", "passed"],
  [
    "work long after the lease has run out",
    { overdue: 21_000 },
    "live",
    "leader-election",
    "work continues 21 s after another replica could have acquired the Lease",
  ],
  ["starting", { phase: "starting" }, "ready", "caches", "the manager is starting"],
  ["stopping", { phase: "stopping" }, "ready", "shutdown", "the manager is stopping"],
  ["running", {}, "ready", "shutdown", "passed"],
])("manager health: %s", async (_, watched, kind, name, result) => {
  expect(await ask(watched, kind, name)).toBe(result);
});

test("a manager that serves webhooks is ready when it serves: its caches may need them to fill", async () => {
  const health = new ManagerHealth({
    clock: new VirtualClock(),
    log: silentLogger,
    watched: { phase: "starting", activities: [], overdue: 0 },
    informers: () => [],
    own: [],
  });
  let isServing = false;
  health.readyWhenServing("webhooks", () => {
    if (!isServing) throw new Error("webhooks are not served");
  });
  const failing = async () =>
    (await health.ready.askAll()).filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  expect(await failing()).toEqual(["webhooks"]);
  isServing = true;
  expect(await failing()).toEqual([]);
});
