// Checks that the addresses outside this repository that the documentation links to answer: npm run docs:links
// Tests check the links within; this needs the Internet, so it is a command of its own. Exit status 1 when an address is gone or does not
// answer, and when none could be checked.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const atOnce = 8;
/** Stand-ins in examples, and the repository itself, which is not published yet. */
const ignored = /\/\/(localhost|127\.0\.0\.1|[\w.-]*example\.(com|org))|github\.com\/kubewright\//;
/** Servers refuse programs so. Nothing is known about such an address, and it is not counted as checked. */
const refusals = new Set([401, 403, 429]);

/** Fetches each address. `fetchPage` is that of Node.js, but in tests. */
export async function checkLinks(addresses, fetchPage = fetch) {
  const queue = [...addresses];
  const problems = [];
  const refused = [];
  const work = async () => {
    for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
      const { status, problem } = await answerOf(address, fetchPage);
      if (problem) problems.push({ address, problem });
      else if (refusals.has(status)) refused.push({ address, problem: `status ${status}` });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const byAddress = (a, b) => (a.address < b.address ? -1 : 1);
  return {
    count: addresses.length,
    problems: problems.toSorted(byAddress),
    refused: refused.toSorted(byAddress),
  };
}

async function answerOf(address, fetchPage) {
  try {
    const response = await fetchPage(address, { signal: AbortSignal.timeout(20_000), redirect: "follow" });
    await response.body?.cancel();
    const { status, ok } = response;
    return { status, problem: ok || refusals.has(status) ? undefined : `status ${status}` };
  } catch (error) {
    return {
      problem: error instanceof Error ? String(error.cause?.message ?? error.message) : String(error),
    };
  }
}

/** The last line, and whether the check has passed. */
export function summaryOf({ count, problems, refused }) {
  const checked = count - problems.length - refused.length;
  const text = `${count} addresses: ${checked} answer, ${problems.length} do not, ${refused.length} refuse programs and were not checked`;
  if (checked > 0) return { text, isGood: problems.length === 0 };
  return { text: `${text}. Nothing was checked: is this machine connected to the Internet?`, isGood: false };
}

/** The addresses, each with the files that link to it. */
export function linkedAddresses() {
  const places = new Map();
  for (const file of markdownFiles())
    for (const [, address] of readFileSync(join(root, file), "utf8").matchAll(/\]\((https?:\/\/[^)\s]+)\)/g))
      if (!ignored.test(address)) places.set(address, [...(places.get(address) ?? []), file]);
  return places;
}

function markdownFiles() {
  const top = readdirSync(root).filter((name) => name.endsWith(".md"));
  const below = ["docs", "examples", "operators", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith(".md") && !/node_modules|templates|dist/.test(path))
      .map((path) => join(folder, path)),
  );
  return [...top, ...below];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const places = linkedAddresses();
  const result = await checkLinks([...places.keys()]);
  for (const { address, problem } of [...result.problems, ...result.refused])
    console.log(`${address}: ${problem} (${[...new Set(places.get(address))].join(", ")})`);
  const { text, isGood } = summaryOf(result);
  console.log(text);
  if (!isGood) process.exitCode = 1;
}
