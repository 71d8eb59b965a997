import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { jsonLogger, silentLogger } from "./logger.js";

test("a log message is one line of JSON with the fields of its logger, and errors with their causes", () => {
  const lines: string[] = [];
  const log = jsonLogger({ clock: new VirtualClock(), write: (line) => lines.push(line) }).with({
    controller: "box",
  });
  log.debug("dropped");
  log.error("failed", { error: new Error("outer", { cause: new Error("inner") }), size: 10n });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: "error",
      time: "2026-01-01T00:00:00.000Z",
      msg: "failed",
      controller: "box",
      size: "10",
      error: { name: "Error", message: "outer", cause: { message: "inner" } },
    },
  ]);
});

test("a logger says which levels it writes, and so do the loggers made from it", () => {
  const log = jsonLogger({ clock: new VirtualClock(), write: () => undefined, level: "warn" }).with({ a: 1 });
  expect([log.writes?.("debug"), log.writes?.("info"), log.writes?.("warn")]).toEqual([false, false, true]);
  expect(silentLogger.writes?.("error")).toBe(false);
});
