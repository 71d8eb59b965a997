// How long the command keeps people waiting: --help (aim: at most 120 ms), init and create api (aim: at most 1.5 s together), and the
// first test run of a scaffolded project, start of its cluster included (aim: at most 3 s). Node alone is the floor, and ratios
// are to it, for machines that are busy; each figure is the least and the median of several runs, of the built packages.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = join(dirname(fileURLToPath(import.meta.url)), "..");
const kubewright = join(repository, "packages/cli/bin/kubewright.js");
const vitest = join(repository, "node_modules/vitest/vitest.mjs");
const rounds = process.env.QUICK ? 3 : 11;
const order = "--group shop --version v1 --kind Order".split(" ");

const nothing = "node, doing nothing";
const times = new Map();

for (let round = 0; round < rounds; round++) {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-cli-"));
  const shop = join(folder, "shop");
  measure(nothing, ["-e", "0"], folder);
  measure("kubewright --help", [kubewright, "--help"], folder);
  measure("kubewright cluster --help", [kubewright, "cluster", "--help"], folder);
  measure("kubewright completion bash", [kubewright, "completion", "bash"], folder);
  const init = run([kubewright, "init", "shop", "--domain", "example.com", "--yes"], folder);
  note("init + create api", init + run([kubewright, "create", "api", ...order], shop));
  symlinkSync(join(repository, "node_modules"), join(shop, "node_modules"));
  measure("the scaffold's own tests", [vitest, "run"], shop);
  rmSync(folder, { recursive: true });
}

const aims = { "kubewright --help": 120, "init + create api": 1500, "the scaffold's own tests": 3000 };
for (const [name, all] of times) {
  const sorted = all.toSorted((a, b) => a - b);
  const [least = 0, middle = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)]];
  const ratio = (least / Math.min(...(times.get(nothing) ?? [1]))).toFixed(1);
  const aim = aims[name] ? `  aim: at most ${aims[name]} ms` : "";
  console.log(`${name.padEnd(28)} ${ms(least)} at least (${ratio}×), ${ms(middle)} median${aim}`);
}

function measure(name, argv, cwd) {
  note(name, run(argv, cwd));
}

function note(name, time) {
  times.set(name, [...(times.get(name) ?? []), time]);
}

function run(argv, cwd) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd, encoding: "utf8" });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`${argv.join(" ")}: status ${status}\n${stdout}${stderr}`);
  return took;
}

function ms(value) {
  return `${value.toFixed(0)} ms`.padStart(8);
}
