// What came of a campaign's requests, by what they tried.

interface Row {
  count: number;
  longest: number;
  readonly statuses: Map<number, number>;
}

/** The columns of answers: those told apart, and what is said of the rest of a class. */
const columns: readonly (readonly [title: string, has: (status: number) => boolean])[] = [
  ["2xx", (status) => status < 300],
  ["400", (status) => status === 400],
  ["403", (status) => status === 403],
  ["404", (status) => status === 404],
  ["406", (status) => status === 406],
  ["409", (status) => status === 409],
  ["422", (status) => status === 422],
  ["rest 4xx", (status) => status >= 300 && status < 500],
  ["5xx", () => true],
];

const line = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(40)}${cells.map((cell) => cell.padStart(9)).join("")}`;

/** Counts answers by attack and status. */
export class Tally {
  readonly #rows = new Map<string, Row>();

  add(sort: string, attack: string, status: number, milliseconds: number): void {
    const name = sort === attack ? sort : `${sort}: ${attack.replace(`${sort}: `, "")}`;
    for (const each of [sort, name]) this.#add(each, status, milliseconds);
  }

  /** Answers by status. */
  get statuses(): ReadonlyMap<number, number> {
    const sums = new Map<number, number>();
    for (const [name, { statuses }] of this.#rows)
      if (!name.includes(": "))
        for (const [status, count] of statuses) sums.set(status, (sums.get(status) ?? 0) + count);
    return sums;
  }

  /** How many of a sort were answered so. */
  count(name: string, status: number): number {
    return this.#rows.get(name)?.statuses.get(status) ?? 0;
  }

  /** A table: how many of each sort and each attack, the longest time, and the answers. */
  lines(): string[] {
    const titles = ["requests", "longest", ...columns.map(([title]) => title)];
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      line("", titles),
      ...rows.map(([name, row]) => line(name.includes(": ") ? `  ${name}` : name, cells(row))),
    ];
  }

  #add(name: string, status: number, milliseconds: number): void {
    let row = this.#rows.get(name);
    if (!row) {
      row = { count: 0, longest: 0, statuses: new Map() };
      this.#rows.set(name, row);
    }
    row.count++;
    row.longest = Math.max(row.longest, milliseconds);
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
  }
}

function cells({ count, longest, statuses }: Row): string[] {
  const sums = columns.map(() => 0);
  for (const [status, times] of statuses) {
    const column = columns.findIndex(([, has]) => has(status));
    sums[column] = (sums[column] ?? 0) + times;
  }
  return [String(count), `${longest.toFixed(0)} ms`, ...sums.map((sum) => (sum === 0 ? "" : String(sum)))];
}
