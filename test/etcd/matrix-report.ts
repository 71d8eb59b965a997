// The list of cases of the fault matrix, by name, with result and duration, written to .kubewright/etcd-matrix.md after each of them.
import { mkdirSync, writeFileSync } from "node:fs";
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

export class MatrixReport {
  readonly #results: CaseResult[] = [];
  readonly #file: string;

  constructor(name: string) {
    this.#file = join(folder, name);
  }

  add(result: CaseResult): void {
    this.#results.push(result);
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.#file, this.text());
  }

  text(): string {
    const passed = this.#results.filter(({ result }) => result === "passed").length;
    const planned = this.#results.flatMap(({ change, gap }) =>
      change !== undefined && gap !== undefined ? [{ name: change, gap }] : [],
    );
    const steps = this.#results.flatMap(({ steps: own = [] }) =>
      own.map(({ kind, gap }) => ({ name: kind, gap })),
    );
    return [
      `${passed} of ${this.#results.length} cases passed.`,
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
      ...this.#results.map(rowOf),
      "",
    ].join("\n");
  }
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
