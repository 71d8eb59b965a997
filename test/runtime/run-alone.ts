// Measures in a process with nothing else in it: what a test runner holds, and how it compiles, would count too.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../bundle.js";

/** Runs a program that stands beside the tests, with a `gc` of its own; returns what it prints, which is JSON. */
export async function runAlone(program: string, ...parameters: readonly number[]): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-memory-"));
  try {
    const outfile = await bundleProgram(fileURLToPath(new URL(program, import.meta.url)), folder);
    const run = spawnSync(process.execPath, ["--expose-gc", outfile, ...parameters.map(String)], {
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(`${program} failed: ${run.stderr}`);
    return JSON.parse(run.stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
