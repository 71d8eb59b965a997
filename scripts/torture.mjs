// `npm run torture`: everything that `kubewright torture` does, to every operator of this repository, and the table of the results in
// docs/torture-results.md. `npm run torture -- guestbook etcd` does it to some of them; `--seeds N` draws more random runs.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs", "torture-results.md");
const command = join(root, "packages", "cli", "bin", "kubewright.js");
const modes = ["crashes", "staleness", "interleavings", "states"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "20" } },
});
const all = readdirSync(join(root, "operators")).filter((name) =>
  existsSync(join(root, "operators", name, "src", "torture.ts")),
);
const chosen = positionals.length > 0 ? positionals : all;
for (const name of chosen)
  if (!all.includes(name))
    fail(`there is no operator ${name} with a src/torture.ts; there are ${all.join(", ")}`);

const built = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

let found = 0;
for (const name of chosen) {
  const results = [];
  for (const mode of modes) results.push(torture(name, mode));
  writeRow(name, results);
}
process.exit(found > 0 ? 1 : 0);

/** Runs one mode; prints what it found. */
function torture(name, mode) {
  const began = performance.now();
  const given = ["torture", "--only", mode, "--seeds", values.seeds, "--output", "json"];
  const { stdout, stderr } = spawnSync(process.execPath, [command, ...given], {
    cwd: join(root, "operators", name),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - began) / 1000;
  if (!stdout.startsWith("{")) fail(`${name}, ${mode}: ${stderr}`);
  const { runs, writes, findings } = JSON.parse(stdout);
  found += findings.length;
  console.log(`${name}, ${mode}: ${runs} runs, ${findings.length} found, ${seconds.toFixed(0)} s`);
  for (const { message, replay } of findings) console.log(`  ${message}\n    --replay "${replay}"`);
  return { mode, runs, writes: writes.length, findings: findings.length, seconds };
}

/** Replaces the row of an operator in the table. */
function writeRow(name, results) {
  const cells = results.map(({ runs, findings }) => `${runs}${findings > 0 ? ` (${findings} found)` : ""}`);
  const seconds = results.reduce((sum, each) => sum + each.seconds, 0);
  const row = `| ${name} | ${results[0].writes} | ${cells.join(" | ")} | ${seconds.toFixed(0)} s |`;
  const lines = readFileSync(page, "utf8").split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${name} |`));
  if (at >= 0) lines[at] = row;
  else lines.splice(lines.findLastIndex((line) => line.startsWith("|")) + 1, 0, row);
  writeFileSync(page, lines.join("\n"));
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
