// The tables of conditions and events in docs/operators list the reasons that the code has, and no others.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The sources below a folder, without tests. */
function sourcesOf(folder: string): string {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  return sources.map((file) => readFileSync(join(root, folder, file), "utf8")).join("\n");
}

const name = /^[A-Z][a-z]+(?:[A-Z][a-z]+)*$/;
const literals = (source: string): ReadonlySet<string> =>
  new Set([...source.matchAll(/"([A-Z][A-Za-z]+)"/g)].map(([, word = ""]) => word));

/** Reasons as conditions, events and problems state them. */
const stated = [
  /reason: "([A-Z]\w+)"/g,
  /isReady\("\w+", "([A-Z]\w+)"/g,
  /degraded\("([A-Z]\w+)"/g,
  /return \["([A-Z]\w+)"/g,
];
/** Reasons that functions of the workload return. */
const returned = /return (?:[^;]*\? )?"([A-Z]\w+)"/g;
const reasonsIn = (source: string, patterns = stated): ReadonlySet<string> =>
  new Set(patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, reason = ""]) => reason)));

/** The words in backticks in the tables about conditions and events of a page. */
function documentedIn(page: string): ReadonlySet<string> {
  const words = new Set<string>();
  let isTable = false;
  for (const line of readFileSync(join(root, "docs/operators", page), "utf8").split("\n")) {
    if (!line.startsWith("|")) isTable = false;
    else if (/^\| (condition|event)/.test(line)) isTable = true;
    else if (isTable)
      for (const [, word = ""] of line.matchAll(/`([^`]+)`/g)) if (name.test(word)) words.add(word);
  }
  return words;
}

const workload = sourcesOf("packages/runtime/src/workload");
const runtime = sourcesOf("packages/runtime/src/controller");
const shared = documentedIn("modelbox.md");

const operators = [
  "application",
  "appservice",
  "crontab",
  "etcd",
  "guestbook",
  "modelbox",
  "mongodb",
  "scheduled-scaler",
];

describe.each(operators)("%s", (operator) => {
  const own = sourcesOf(`operators/${operator}/src`);
  const documented = documentedIn(`${operator}.md`);

  test("every reason of its conditions and events is documented", () => {
    const isWorkload = own.includes("keepWorkload");
    const reasons = [...reasonsIn(own), ...(isWorkload ? reasonsIn(workload, [...stated, returned]) : [])];
    expect(reasons.length).toBeGreaterThan(3);
    const known = isWorkload ? new Set([...documented, ...shared]) : documented;
    expect(reasons.filter((reason) => !known.has(reason))).toEqual([]);
  });

  test("every documented condition, event and reason is in the code", () => {
    const code = literals(`${own}\n${workload}\n${runtime}`);
    expect([...documented].filter((word) => !code.has(word))).toEqual([]);
  });
});
