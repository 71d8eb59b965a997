// The log of one run of a simulated container. Lines at a steady rate are computed when a client reads them: a month of them
// costs nothing until then.
import type { Clock } from "@kubewright/api";
import type { ContainerLog, LogLine } from "./container-runtime.js";
import type { LogPlan } from "./rules/effects.js";

/** Older lines than this many are gone, as with rotated files. */
const kept = 10_000;

export class SimulatedLog implements ContainerLog {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #printed: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  #plan: LogPlan | undefined;
  #endedAt: number | undefined;
  /** The text since the last end of a line. */
  #unfinished = "";

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  get isOver(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Sets the plan for lines from now on; earlier lines stay. */
  follow(plan: LogPlan | undefined): void {
    if (plan === this.#plan || this.isOver) return;
    for (const line of this.#generated(this.#clock.now())) this.#add(line);
    this.#plan = plan;
    for (const text of plan?.first ?? []) this.print(text);
    this.#wake();
  }

  /** Appends the output of a program, and splits it into lines. */
  write(bytes: string | Uint8Array): void {
    const lines = `${this.#unfinished}${Buffer.from(bytes)}`.split("\n");
    this.#unfinished = lines.pop() ?? "";
    for (const line of lines) this.print(line);
  }

  print(text: string): void {
    this.#add({ at: this.#clock.now(), text });
    this.#wake();
  }

  end(): void {
    if (this.#unfinished !== "")
      this.#add({ at: this.#clock.now(), text: this.#unfinished, isUnfinished: true });
    this.#unfinished = "";
    this.#endedAt = this.#clock.now();
    this.#wake();
  }

  read(from: number): { readonly lines: readonly LogLine[]; readonly next: number } {
    const until = this.#endedAt ?? this.#clock.now();
    const total = this.#count(until);
    const generated = this.#generated(until);
    const lines = [...this.#printed, ...generated].sort((a, b) => a.at - b.at);
    const dropped = total - generated.length;
    return { lines: lines.slice(Math.max(0, from - dropped)), next: dropped + lines.length };
  }

  more(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const every = this.#plan?.every ?? Number.POSITIVE_INFINITY;
      const next = this.#startedAt + this.#count(this.#clock.now()) * every - this.#clock.now();
      const timer = Number.isFinite(next) ? this.#clock.setTimer(next, () => done()) : undefined;
      const done = (): void => {
        timer?.cancel();
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #add(line: LogLine): void {
    if (this.#printed.length < kept) this.#printed.push(line);
  }

  /** How many lines the plan has come to. */
  #count(until: number): number {
    const every = this.#plan?.every ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(every) ? Math.floor((until - this.#startedAt) / Math.max(1, every)) + 1 : 0;
  }

  #generated(until: number): LogLine[] {
    const plan = this.#plan;
    const count = this.#count(until);
    if (!plan || count === 0) return [];
    const lines: LogLine[] = [];
    for (let index = Math.max(0, count - kept); index < count; index++)
      lines.push({ at: this.#startedAt + index * plan.every, text: plan.line(index) });
    return lines;
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
