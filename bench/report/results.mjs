// Where results are kept: those of the last run beside the build's other caches, and the recorded ones, which are published and which later runs
// are held against, in the repository.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const lastRun = join(root, "node_modules/.cache/kubewright-bench-results");
const recorded = join(import.meta.dirname, "../recorded");

/** The machine and the day: without them no figure means anything. */
export function facts() {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  };
}

/** Keeps the results of a benchmark's run; returns the file. */
export function saveResults(name, results) {
  return write(join(lastRun, `${name}.json`), { ...facts(), ...results });
}

export const lastResults = (name) => read(join(lastRun, `${name}.json`));
export const recordedResults = (name) => read(join(recorded, `${name}.json`));
export const recordResults = (name, results) => write(join(recorded, `${name}.json`), results);

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function write(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
  return file;
}
