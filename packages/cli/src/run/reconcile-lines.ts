// What an operator does, for the person who develops it: a line for each reconcile that wrote something.
import type { ReconcileObserver, ReconcileRecord } from "@kubewright/runtime";
import type { FoldedLines } from "./folded-lines.js";

export class ReconcileLines implements ReconcileObserver {
  readonly #lines: FoldedLines;
  readonly #kinds: ReadonlyMap<string, string>;

  /** `kinds` has the kind of each controller. */
  constructor(lines: FoldedLines, kinds: ReadonlyMap<string, string>) {
    this.#lines = lines;
    this.#kinds = kinds;
  }

  /** Failures are in the log of the operator already. */
  reconciled({ controller, key, reasons, writes, duration, outcome }: ReconcileRecord): void {
    if (writes.length === 0 || outcome.kind !== "success") return;
    const text = `${this.#kinds.get(controller) ?? controller} ${key}: ${whyText(reasons)} → ${whatText(writes)}`;
    this.#lines.print(`${text} (${Math.max(1, Math.round(duration))} ms)`, text);
  }
}

const whyText = (reasons: readonly string[]): string => {
  const [first = "unknown reason", ...more] = reasons;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
};

/** `apply Deployment web, Service web; status`: names once, without the namespace. */
function whatText(writes: ReconcileRecord["writes"]): string {
  const verbs = [...new Set(writes.map(({ verb }) => verb))];
  return verbs
    .map((verb) => {
      if (verb === "status") return "status";
      const objects = writes.filter((write) => write.verb === verb);
      return `${verb} ${objects.map(({ kind, key }) => `${kind} ${key.split("/").at(-1)}`).join(", ")}`;
    })
    .join("; ");
}
