// Runs Kubernetes' own end-to-end tests against the embedded cluster, and compares with the list of those expected to pass:
//   E2E_TEST=/path/to/e2e.test npm run conformance -- [--all] [--focus PATTERN] [--update] [--workers N] [--keep FOLDER] [--images FILE]
// Without --all only the expected ones are run. --update adds what passed now to the list; the list may only grow. With --images, an
// image map, pods run as processes of this machine, and the list is that of tests that need programs in pods.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const binary = process.env.E2E_TEST;
const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    update: { type: "boolean", default: false },
    focus: { type: "string", default: "" },
    workers: { type: "string", default: "4" },
    keep: { type: "string" },
    images: { type: "string" },
  },
});
const listFile = join(root, "test/conformance", values.images ? "expected-with-images.txt" : "expected.txt");

if (!binary || !existsSync(binary)) {
  console.error(
    binary
      ? `E2E_TEST: there is no ${binary}`
      : "E2E_TEST is not set: give the path of Kubernetes' e2e.test.",
  );
  console.error("docs/conformance.md says where to get one.");
  process.exit(2);
}

async function main() {
  const expected = new Set(readFileSync(listFile, "utf8").split("\n").filter(Boolean));
  const known = namesOf(dryRun());
  const missing = [...expected].filter((name) => !known.includes(name));
  for (const name of missing) console.log(`not in this e2e.test: ${name}`);
  const focus = new RegExp(values.focus);
  const chosen = known.filter((name) => focus.test(name) && (values.all || expected.has(name)));
  const results = await runAll(chosen);
  return report(results, expected);
}

/** Prints what changed; the exit status says whether anything expected did not pass. */
function report(results, expected) {
  const passed = [...results].filter(([, { state }]) => state === "passed").map(([name]) => name);
  const broken = [...results].filter(([name, { state }]) => expected.has(name) && state !== "passed");
  const gained = passed.filter((name) => !expected.has(name));
  for (const [name, { state, text }] of results)
    if (state !== "passed" && !expected.has(name)) console.log(`${state}: ${name}\n    ${text}`);
  for (const name of gained) console.log(`passes now: ${name}`);
  for (const [name, { state, text }] of broken)
    console.log(`EXPECTED TO PASS, ${state}: ${name}\n    ${text}`);
  if (values.update && gained.length > 0)
    writeFileSync(listFile, `${[...expected, ...gained].sort().join("\n")}\n`);
  console.log(
    `${passed.length} of ${results.size} passed; ${expected.size} expected in the list, ${broken.length} of them did not, ${gained.length} are new`,
  );
  return broken.length > 0 ? 1 : 0;
}

/** Many in one process, as starting one takes seconds. Those that must be alone run at the end. */
async function runAll(names) {
  const results = new Map();
  const queue = batches(names.filter((name) => !name.includes("[Serial]")));
  const serial = batches(names.filter((name) => name.includes("[Serial]")));
  let number = 0;
  const worker = async (mine) => {
    for (let batch = mine.shift(); batch; batch = mine.shift()) {
      let done = await runBatch(batch, number++);
      // A machine that is too busy to begin may have time later.
      if (done.every(([, { text }]) => text === notRun)) done = await runBatch(batch, number++);
      for (const [name, result] of done) results.set(name, result);
      console.error(`${results.size} of ${names.length} done`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, () => worker(queue)));
  await worker(serial);
  return results;
}

const batchSize = 15;
/** For one test, where it does not end by itself. */
const timeout = 10 * 60_000;

function batches(names) {
  const count = Math.ceil(names.length / batchSize);
  return Array.from({ length: count }, (_, index) => names.filter((_name, at) => at % count === index));
}

function runBatch(names, number) {
  const file = join(folder, `report-${number}.json`);
  const log = openSync(join(folder, `log-${number}.txt`), "w");
  const focus = `--ginkgo.focus=(${names.map(escaped).join("|")})$`;
  const child = spawn(binary, [...flags(file), focus], { stdio: ["ignore", log, log] });
  const timer = setTimeout(() => child.kill("SIGINT"), names.length * timeout);
  return new Promise((resolve) => {
    child.once("close", () => {
      clearTimeout(timer);
      const specs = existsSync(file) ? specsOf(file) : [];
      resolve(names.map((name) => [name, resultOf(specs.find((each) => nameOf(each) === name))]));
    });
  });
}

const notRun = "it was not run";

function resultOf(spec) {
  if (!spec) return { state: "failed", text: notRun };
  const text = spec.Failure?.Message?.split("\n").slice(0, 3).join(" ").slice(0, 300) ?? "";
  return { state: spec.State, text };
}

const escaped = (name) => name.replace(/[[\](){}.*+?^$|\\/-]/g, "\\$&");

function flags(file) {
  return [
    `--kubeconfig=${cluster.kubeconfig}`,
    "--provider=skeleton",
    `--ginkgo.json-report=${file}`,
    "--ginkgo.no-color",
    "--allowed-not-ready-nodes=-1",
  ];
}

function dryRun() {
  const file = join(folder, "all.json");
  const run = spawnSync(binary, [...flags(file), "--ginkgo.dry-run", "--ginkgo.label-filter=Conformance"]);
  if (run.status !== 0) throw new Error(`e2e.test lists no tests: ${run.stdout}${run.stderr}`);
  return specsOf(file);
}

const specsOf = (file) =>
  JSON.parse(readFileSync(file, "utf8"))[0].SpecReports.filter(
    ({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "skipped",
  );
const nameOf = ({ ContainerHierarchyTexts, LeafNodeText }) =>
  [...ContainerHierarchyTexts, LeafNodeText].join(" ");
const namesOf = (specs) => specs.map(nameOf).sort();

/** The cluster as the command starts it. */
async function startCluster() {
  const kubeconfig = join(folder, "kubeconfig");
  const command = [join(root, "packages/cli/bin/kubewright.js"), "cluster", "--kubeconfig", kubeconfig];
  const rules = join(root, "test/conformance/rules.yaml");
  const programs = values.images ? ["--runtime", "process", "--images", values.images] : [];
  const options = ["--nodes", "3", "--compaction-interval", "30s", "--rules", rules, ...programs];
  const child = spawn(process.execPath, [...command, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", (code) => reject(new Error(`the cluster ended with ${code}`)));
  });
  return { kubeconfig, kill: () => child.kill() };
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), "kubewright-conformance-"));
mkdirSync(folder, { recursive: true });
const cluster = await startCluster();
try {
  process.exitCode = await main();
} finally {
  cluster.kill();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
