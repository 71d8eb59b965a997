import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { createLogger, silentLogger } from "../logging/logger.js";
import { HealthChecks } from "./health-checks.js";
import { answerProbe } from "./health-server.js";

const failing = () => {
  throw new Error("the disk is full");
};

function checks() {
  const clock = new VirtualClock();
  const live = new HealthChecks(clock, silentLogger);
  const ready = new HealthChecks(clock, silentLogger);
  live.addAll({ ping: () => undefined });
  ready.addAll({ ping: async () => undefined, disk: failing });
  return { live, ready };
}

test.each([
  ["/healthz", 200, "ok"],
  ["/livez", 200, "ok"],
  ["/livez/", 200, "ok"],
  ["/livez?verbose", 200, "[+]ping ok\nlivez check passed\n"],
  ["/livez/ping", 200, "ok"],
  ["/readyz", 500, "[+]ping ok\n[-]disk failed: reason withheld\nreadyz check failed\n"],
  ["/readyz?exclude=disk", 200, "ok"],
  ["/readyz?exclude=disk&verbose", 200, "[+]ping ok\n[+]disk excluded: ok\nreadyz check passed\n"],
  [
    "/livez?verbose&exclude=moon",
    200,
    '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "moon"\nlivez check passed\n',
  ],
  ["/readyz/disk", 500, "internal server error: the disk is full\n"],
  ["/readyz/moon", 404, "Not Found\n"],
  ["/readyz/disk/more", 404, "Not Found\n"],
  ["/", 404, "Not Found\n"],
  ["/__proto__", 404, "Not Found\n"],
])("the health server answers %s with %d", async (url, status, body) => {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  expect(await answerProbe(checks(), { path: pathname, query: searchParams })).toEqual({ status, body });
});

test("a health check that never ends fails, and is logged once", async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const slow = new HealthChecks(
    clock,
    createLogger((_, message) => lines.push(message)),
  );
  slow.add("slow", () => new Promise(() => undefined));
  for (let time = 0; time < 2; time++)
    expect(await clock.runUntilSettled(slow.ask("slow"))).toMatchObject({
      outcome: "failed",
      reason: 'the check "slow" took longer than 5000 ms',
    });
  expect(lines).toEqual(["health check failed"]);
});
