// The memory gate: what a cached object may cost, and what events may leave behind. It fails when a change makes caches
// heavier. `EVENTS=1000000 npx vitest run test/runtime/informer-memory` passes a million events through instead of 100,000.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type { Weights } from "./weigh-informer.js";

const count = 5_000;
const events = Number(process.env["EVENTS"] ?? 100_000);

/** Measures in a process with nothing else in it. */
async function weigh(): Promise<Weights> {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-memory-"));
  try {
    const outfile = join(folder, "weigh.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("./weigh-informer.ts", import.meta.url))],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      conditions: ["kubewright-source"],
      logLevel: "error",
    });
    const run = spawnSync(process.execPath, ["--expose-gc", outfile, String(count), String(events)], {
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`weighing failed: ${run.stderr}`);
    return JSON.parse(run.stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a cached object of 1.5 KB stays within its weight, however many events pass", async () => {
  const { objectSize, synced, settled, after } = await weigh();
  expect(objectSize).toBeGreaterThan(1_490);
  expect(synced, "bytes for one object").toBeLessThan(1_100);
  expect(settled, "bytes for one object when all have changed").toBeLessThan(1_300);
  // Bounded, whatever passes: the memory of recent texts fills up. One and two million events leave the same 1.5 MB.
  expect((after - settled) * count, `bytes left behind by ${events} events`).toBeLessThan(2_000_000);
}, 240_000);
