// `npm run torture`: everything that `kubewright torture` does, to every operator of this repository and to every template of a project, and
// the tables of the results in docs/torture-results.md.
//
//   npm run torture                            all of them
//   npm run torture -- guestbook etcd          some operators
//   npm run torture -- --templates             the templates only
//   npm run torture -- etcd --only crashes     one mode; the table has whole rows only, and stays as it is
//   npm run torture -- etcd --shard 1/4        a quarter of the runs; the table stays as it is
//   npm run torture -- --seeds 100             more random runs
//   npm run torture -- guestbook --skip-build  with packages that are built already
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { scaffold, templates } from "./torture-templates.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs", "torture-results.md");
const command = join(root, "packages", "cli", "bin", "kubewright.js");
const modes = ["crashes", "staleness", "interleavings", "states"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "20" },
    only: { type: "string" },
    shard: { type: "string" },
    templates: { type: "boolean", default: false },
    "skip-build": { type: "boolean", default: false },
  },
});
const chosenModes = values.only?.split(",") ?? modes;
const unknown = chosenModes.find((mode) => !modes.includes(mode));
if (unknown !== undefined) fail(`there is no mode ${unknown}; there are ${modes.join(", ")}`);
const operators = chosenOperators();

if (!values["skip-build"]) {
  const built = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
  if (built.status !== 0) process.exit(built.status ?? 1);
}

const total = { found: 0, runs: 0, seconds: 0 };
for (const name of operators) tortureAll(name, join(root, "operators", name));
if (values.templates || positionals.length === 0)
  for (const name of Object.keys(templates)) {
    const project = scaffold(name, command, join(root, "node_modules"));
    tortureAll(`template: ${name}`, project);
    rmSync(dirname(project), { recursive: true, force: true });
  }
console.log(`${total.runs} runs, ${total.found} found, ${total.seconds.toFixed(0)} s`);
process.exit(total.found > 0 ? 1 : 0);

function chosenOperators() {
  const all = readdirSync(join(root, "operators")).filter((name) =>
    existsSync(join(root, "operators", name, "src", "torture.ts")),
  );
  const missing = positionals.find((name) => !all.includes(name));
  if (missing !== undefined)
    fail(`there is no operator ${missing} with a src/torture.ts; there are ${all.join(", ")}`);
  return positionals.length > 0 ? positionals : values.templates ? [] : all;
}

function tortureAll(name, project) {
  const results = chosenModes.map((mode) => torture(name, project, mode));
  if (values.only === undefined && values.shard === undefined) writeRow(name, results);
}

/** Runs one mode; prints what it found. */
function torture(name, cwd, mode) {
  const began = performance.now();
  const given = ["torture", "--only", mode, "--seeds", values.seeds, "--output", "json"];
  if (values.shard !== undefined) given.push("--shard", values.shard);
  const { stdout, stderr } = spawnSync(process.execPath, [command, ...given], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - began) / 1000;
  if (!stdout.startsWith("{")) fail(`${name}, ${mode}: ${stderr}`);
  const { runs, writes, findings } = JSON.parse(stdout);
  total.found += findings.length;
  total.runs += runs;
  total.seconds += seconds;
  console.log(`${name}, ${mode}: ${runs} runs, ${findings.length} found, ${seconds.toFixed(0)} s`);
  for (const { message, step, replay } of findings)
    console.log(`  ${message}\n    after: ${step}\n    --replay "${replay}"`);
  return { runs, writes: writes.length, findings: findings.length, seconds };
}

/** Replaces the row of an operator or a template in the table. */
function writeRow(name, results) {
  const cells = results.map(
    ({ runs, findings, seconds }) =>
      `${runs} in ${seconds.toFixed(0)} s${findings > 0 ? `, **${findings} found**` : ""}`,
  );
  const date = new Date().toISOString().slice(0, 10);
  const row = `| ${[name, results[0].writes, ...cells, values.seeds, date].join(" | ")} |`;
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
