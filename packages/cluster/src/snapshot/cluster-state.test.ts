import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kubewright/api";
import { DataError } from "@kubewright/apiserver";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openState } from "./cluster-state.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kubewright-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));
const open = () => openState({ dataDir, clock: systemClock, onError: () => undefined });

describe("a data directory with keys", () => {
  test.each([
    ["emptied", (log: string) => truncateSync(log, 0)],
    ["removed", (log: string) => rmSync(log)],
  ])("is not begun anew when its log was %s", async (_, damage) => {
    const { keys, close } = open();
    await close();
    const again = open();
    expect(again.keys.token).toBe(keys.token);
    await again.close();
    damage(join(dataDir, "log-00000001"));
    expect(open).toThrow(DataError);
    expect(open).toThrow("has lost its state");
  });
});
