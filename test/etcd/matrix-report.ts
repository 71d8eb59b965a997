// The list of cases of the fault matrix, by name, with result and duration, written to .kubewright/etcd-matrix.md after each of them. The files
// of the matrix run in processes of their own, so each leaves what it found in a file, and the list is made of those of one run.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface CaseResult {
  readonly name: string;
  readonly group: string;
  readonly result: "passed" | string;
  /** In milliseconds. */
  readonly duration: number;
  /** The longest time without an acknowledged write, in milliseconds; undefined where nobody wrote all the time. */
  readonly gap: number | undefined;
  /** Writes that a client that retries for two election timeouts gave up. */
  readonly failures: number | undefined;
  /** What was changed on purpose, so that no write may fail; undefined where something was broken. */
  readonly change: string | undefined;
  /** The longest time without a write during each step of a planned change. */
  readonly steps?: readonly { readonly kind: string; readonly gap: number }[] | undefined;
}

const folder = join(import.meta.dirname, "../../.kubewright");
const parts = join(folder, "etcd-matrix");
/** All processes of a run have the same parent. */
const run = String(process.ppid);

export class MatrixReport {
  readonly #results: CaseResult[] = [];

  add(result: CaseResult): void {
    this.#results.push(result);
    mkdirSync(parts, { recursive: true });
    write(join(parts, `${run}-${process.pid}.json`), JSON.stringify(this.#results));
    write(join(folder, "etcd-matrix.md"), textOf(resultsOfRun()));
  }
}

function resultsOfRun(): readonly CaseResult[] {
  return readdirSync(parts)
    .filter((name) => name.startsWith(`${run}-`) && name.endsWith(".json"))
    .flatMap((name) => JSON.parse(readFileSync(join(parts, name), "utf8")) as CaseResult[]);
}

/** Whole or not at all, since others read it. */
function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

function textOf(results: readonly CaseResult[]): string {
  const passed = results.filter(({ result }) => result === "passed").length;
  const planned = results.flatMap(({ change, gap }) =>
    change !== undefined && gap !== undefined ? [{ name: change, gap }] : [],
  );
  const steps = results.flatMap(({ steps: own = [] }) => own.map(({ kind, gap }) => ({ name: kind, gap })));
  return [
    `${passed} of ${results.length} cases passed.`,
    "",
    "Time without an acknowledged write, in milliseconds, by planned change:",
    "",
    ...unavailability("planned change", planned),
    "",
    "and by the step that was taken in it:",
    "",
    ...unavailability("step", steps),
    "",
    "| group | case | result | seconds | longest time without a write (ms) | writes given up after 2 s |",
    "|---|---|---|---|---|---|",
    ...results.map(rowOf),
    "",
  ].join("\n");
}

const rowOf = ({ group, name, result, duration, gap, failures }: CaseResult): string =>
  `| ${group} | ${name} | ${result.replaceAll("|", "/").split("\n")[0]} | ${(duration / 1_000).toFixed(1)} | ${gap ?? ""} | ${failures ?? ""} |`;

/** A row for each name and one for all. */
function unavailability(
  what: string,
  measured: readonly { readonly name: string; readonly gap: number }[],
): readonly string[] {
  const names = [...new Set(measured.map(({ name }) => name))];
  const row = (name: string, gaps: readonly number[]): string =>
    `| ${name} | ${gaps.length} | ${median(gaps)} | ${Math.max(0, ...gaps)} |`;
  return [
    `| ${what} | times | median | worst |`,
    "|---|---|---|---|",
    ...names.map((name) =>
      row(
        name,
        measured.filter((each) => each.name === name).map(({ gap }) => gap),
      ),
    ),
    row(
      "all",
      measured.map(({ gap }) => gap),
    ),
  ];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
