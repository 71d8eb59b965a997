// The list of cases of the fault matrix, by name, with result and duration, written to .kubewright/etcd-matrix.md after each of them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface CaseResult {
  readonly name: string;
  readonly group: string;
  readonly result: "passed" | string;
  /** In milliseconds. */
  readonly duration: number;
  /** The longest time without an acknowledged write, in milliseconds. */
  readonly gap: number | undefined;
  /** Writes that a client that retries for two election timeouts gave up. */
  readonly failures: number | undefined;
  /** Whether nothing was broken on purpose, so that no write may fail. */
  readonly isPlanned: boolean;
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
    const rows = this.#results.map(
      ({ group, name, result, duration, gap, failures }) =>
        `| ${group} | ${name} | ${result.replaceAll("|", "/").split("\n")[0]} | ${(duration / 1_000).toFixed(1)} | ${gap ?? ""} | ${failures ?? ""} |`,
    );
    return [
      `${passed} of ${this.#results.length} cases passed.`,
      "",
      `Write unavailability of planned changes (${this.#planned().length}): median ${median(this.#planned())} ms, worst ${Math.max(0, ...this.#planned())} ms.`,
      "",
      "| group | case | result | seconds | longest time without a write (ms) | writes given up after 2 s |",
      "|---|---|---|---|---|---|",
      ...rows,
      "",
    ].join("\n");
  }

  #planned(): readonly number[] {
    return this.#results.flatMap(({ isPlanned, gap }) => (isPlanned && gap !== undefined ? [gap] : []));
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
