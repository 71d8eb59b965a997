// What came of a campaign's requests, by what they tried.

interface Row {
  count: number;
  longest: number;
  readonly statuses: Map<number, number>;
}

/** Counts answers by attack and status. */
export class Tally {
  readonly #rows = new Map<string, Row>();

  add(attack: string, status: number, milliseconds: number): void {
    let row = this.#rows.get(attack);
    if (!row) {
      row = { count: 0, longest: 0, statuses: new Map() };
      this.#rows.set(attack, row);
    }
    row.count++;
    row.longest = Math.max(row.longest, milliseconds);
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
  }

  /** Answers by status. */
  get statuses(): ReadonlyMap<number, number> {
    const sums = new Map<number, number>();
    for (const { statuses } of this.#rows.values())
      for (const [status, count] of statuses) sums.set(status, (sums.get(status) ?? 0) + count);
    return sums;
  }

  /** One line per attack: how many, the longest stretch, and the answers. */
  lines(): string[] {
    return [...this.#rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([attack, { count, longest, statuses }]) => {
        const answers = [...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, times]) => `${status}×${times}`);
        return `${attack.padEnd(28)} ${String(count).padStart(7)}  ${longest.toFixed(0).padStart(4)} ms  ${answers.join(" ")}`;
      });
  }
}
