// Checks that the addresses outside this repository that the documentation links to answer: npm run docs:links
// Tests check the links within; this needs the Internet, so it is a command of its own. Exit status 1 when one is gone.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const atOnce = 8;
/** Stand-ins in examples, and the repository itself, which is not published yet. */
const ignored = /\/\/(localhost|127\.0\.0\.1|[\w.-]*example\.(com|org))|github\.com\/kubewright\//;

const places = new Map();
for (const file of markdownFiles())
  for (const [, address] of readFileSync(join(root, file), "utf8").matchAll(/\]\((https?:\/\/[^)\s]+)\)/g))
    if (!ignored.test(address)) places.set(address, [...(places.get(address) ?? []), file]);

const queue = [...places.keys()];
const problems = [];
await Promise.all(Array.from({ length: atOnce }, work));
for (const { address, problem } of problems.toSorted((a, b) => (a.address < b.address ? -1 : 1)))
  console.log(`${address}: ${problem} (${[...new Set(places.get(address))].join(", ")})`);
console.log(`${places.size} addresses, ${problems.length} do not answer`);
if (problems.length > 0) process.exitCode = 1;

function markdownFiles() {
  const top = readdirSync(root).filter((name) => name.endsWith(".md"));
  const below = ["docs", "examples", "operators", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith(".md") && !/node_modules|templates|dist/.test(path))
      .map((path) => join(folder, path)),
  );
  return [...top, ...below];
}

async function work() {
  for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
    const problem = await problemOf(address);
    if (problem) problems.push({ address, problem });
  }
}

/** Some servers refuse HEAD, and some refuse programs: only what is certainly gone is a problem. */
async function problemOf(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(20_000), redirect: "follow" });
    await response.body?.cancel();
    return response.status === 404 || response.status === 410 ? `status ${response.status}` : undefined;
  } catch (error) {
    return error instanceof Error ? String(error.cause?.message ?? error.message) : String(error);
  }
}
