// Replicas that are stopped for longer than their lease. KUBEWRIGHT_LONG_TESTS=1 stops each twenty times.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProgram } from "../durability/killable-server.js";
import { type Mode, stopReplicas } from "./stopped-replicas.js";

const stops = process.env["KUBEWRIGHT_LONG_TESTS"] ? 20 : 2;
let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  program = await buildProgram(new URL("replica.ts", import.meta.url), folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cases: readonly (readonly [string, Mode])[] = [
  ["leader election", "leader"],
  ["sharding", "shards"],
];

test.concurrent.each(cases)(
  "%s: a replica that was stopped begins and writes nothing before it has a lease again",
  {
    timeout: 60_000 + stops * 20_000,
  },
  async (name, mode) => {
    const found = await stopReplicas({ program, folder: join(folder, mode), mode, stops });
    process.stdout.write(
      `${name}: ${stops} stops, ${found.takeovers} takeovers, ${found.writes} writes, ${found.lateWrites.length} late, ${found.lateReconciles.length} reconciles begun late\n`,
    );
    expect(found.takeovers).toBeGreaterThan(0);
    expect(found.lateWrites).toEqual([]);
    expect(found.lateReconciles).toEqual([]);
  },
);
