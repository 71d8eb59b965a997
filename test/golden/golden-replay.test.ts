// Replays recorded requests of a real kube-apiserver against the embedded one. What is known to differ is listed in
// known-differences.json, with docs/fidelity.md saying why; anything else that differs fails, and so does a difference that
// is listed but gone, so that the list only shrinks. Steps whose recording depends on timing may go either way.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterOptions, startCluster } from "@kubewright/cluster";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const recordings = join(import.meta.dirname, "../../../shared/golden");
const present = existsSync(join(recordings, "compare.mjs"));
type StepNames = Readonly<Record<string, readonly string[]>>;
const known: { readonly differences: StepNames; readonly dependsOnTiming: StepNames } = JSON.parse(
  readFileSync(join(import.meta.dirname, "known-differences.json"), "utf8"),
);
const flat = (names: StepNames): string[] =>
  Object.entries(names).flatMap(([topic, steps]) => steps.map((step) => `${topic} / ${step}`));

interface Report {
  readonly steps: readonly { topic: string; step: string; pass: boolean; diffs: unknown[] }[];
}

const directory = mkdtempSync(join(tmpdir(), "kubewright-golden-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.skipIf(!present)("answers as a recorded kube-apiserver does", () => {
  test("profile plain", { timeout: 300_000 }, async () => {
    expectNothingNew(
      await replay("plain", { controllers: "none", disableAdmission: ["ServiceAccount"], nodes: 0 }),
    );
  });

  test("profile controllers", { timeout: 300_000 }, async () => {
    expectNothingNew(await replay("controllers", { nodes: 0 }));
  });
});

function expectNothingNew({ steps }: Report): void {
  const failed = steps.filter(({ pass }) => !pass).map(({ topic, step }) => `${topic} / ${step}`);
  const run = new Set(steps.map(({ topic, step }) => `${topic} / ${step}`));
  const differences = flat(known.differences).filter((name) => run.has(name));
  const tolerated = new Set([...differences, ...flat(known.dependsOnTiming)]);
  expect(steps.length).toBeGreaterThan(0);
  expect(failed.filter((name) => !tolerated.has(name))).toEqual([]);
  const healed = differences.filter((name) => !failed.includes(name));
  expect(healed, "listed as different, but the same: take them off the list").toEqual([]);
}

if (!present) console.warn("skipped: the recordings of a real API server are not beside this checkout");

async function replay(profile: string, options: ClusterOptions): Promise<Report> {
  await using cluster = await startCluster(options);
  const endpoint = await cluster.listen();
  const config = parse(endpoint.kubeconfig) as { users: { user: { token: string } }[] };
  const token = config.users[0]?.user.token ?? "";
  const report = join(directory, `${profile}.json`);
  const flags = [
    "--server",
    endpoint.url,
    "--token",
    token,
    "--dir",
    join(recordings, "recordings"),
    "--profile",
    profile,
  ];
  await run([join(recordings, "compare.mjs"), ...flags, "--quiet", "--report", report]);
  return JSON.parse(readFileSync(report, "utf8")) as Report;
}

/** Differences make it exit with 1; only the report counts. */
function run(arguments_: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, arguments_, { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
}
