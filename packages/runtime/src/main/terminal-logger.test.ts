import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { terminalLogger } from "./terminal-logger.js";

test("a terminal log line has the time, the level, the message, its fields and the reasons", () => {
  const lines: string[] = [];
  const clock = new VirtualClock({ start: Date.parse("2026-01-01T12:00:01Z") });
  const log = terminalLogger({ clock, write: (line) => lines.push(line) }).with({
    manager: "shop",
    name: "web",
  });
  log.info("started");
  log.debug("dropped");
  log.error("reconcile failed", {
    note: "two words",
    error: new Error("outer", { cause: new Error("inner") }),
  });
  expect(lines).toEqual([
    "12:00:01 INFO  started  name=web",
    '12:00:01 ERROR reconcile failed  name=web note="two words": outer: inner',
  ]);
});

test("the terminal logger shows an error with its source line", () => {
  const lines: string[] = [];
  const clock = new VirtualClock({ start: Date.parse("2026-01-01T12:00:01Z") });
  const log = terminalLogger({ clock, write: (line) => lines.push(line), root: "/shop" });
  const error = Object.assign(new Error("no"), { stack: "Error: no\n    at x (/shop/src/web.ts:12:5)" });
  log.error("reconcile failed", { error });
  log.info("no error");
  expect(lines).toEqual(["12:00:01 ERROR reconcile failed: no (src/web.ts:12:5)", "12:00:01 INFO  no error"]);
});
