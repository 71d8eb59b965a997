// What is done to an operator on purpose: the smallest unit of a torture run. A run is a list of disturbances, and its text is all that is
// needed to repeat it exactly.

/** What happens to one write of the manager. */
export type WriteDisturbance =
  /** The manager ends before the write reaches the server, or after it was committed, and starts again. */
  | "crash-before"
  | "crash-after"
  /** The server answers 500, and nothing is written. */
  | "fail"
  /** The write is committed, and its answer lost. */
  | "lose-answer"
  /** The server answers 409, and nothing is written. */
  | "conflict"
  /** Somebody else deletes what was written, right after it was. */
  | "delete-written";

/** What goes wrong in one run of torture, and at which write. */
export type Disturbance =
  /** `write` counts the writes that the manager attempts, from 1. */
  | { readonly kind: WriteDisturbance; readonly write: number }
  /** From that write on, the manager sees no change of a resource for a while. */
  | {
      readonly kind: "freeze";
      readonly write: number;
      readonly resource: string;
      readonly milliseconds: number;
    }
  /** The manager sees every change of a resource so much later. */
  | { readonly kind: "delay-watch"; readonly resource: string; readonly milliseconds: number }
  /** The write reaches the server so much later. */
  | { readonly kind: "delay-write"; readonly write: number; readonly milliseconds: number };

/** Those that find most come first. */
export const writeDisturbances: readonly WriteDisturbance[] = [
  "crash-after",
  "fail",
  "lose-answer",
  "crash-before",
  "conflict",
  "delete-written",
];

/** The text of a run: `lose-answer@3 freeze:configmaps@3+30000`. */
export function disturbanceText(disturbances: readonly Disturbance[]): string {
  return disturbances.map(oneText).join(" ");
}

function oneText(disturbance: Disturbance): string {
  switch (disturbance.kind) {
    case "freeze":
      return `freeze:${disturbance.resource}@${disturbance.write}+${disturbance.milliseconds}`;
    case "delay-watch":
      return `delay-watch:${disturbance.resource}+${disturbance.milliseconds}`;
    case "delay-write":
      return `delay-write@${disturbance.write}+${disturbance.milliseconds}`;
    default:
      return `${disturbance.kind}@${disturbance.write}`;
  }
}

/** Reads the text of a run back; throws for one that is none. */
export function parseDisturbances(text: string): readonly Disturbance[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(parseOne);
}

const pattern = /^([a-z-]+)(?::([a-z0-9.-]+))?(?:@(\d+))?(?:\+(\d+))?$/;

function parseOne(word: string): Disturbance {
  const [, name = "", resource, at, by] = pattern.exec(word) ?? [];
  const [write, milliseconds] = [Number(at), Number(by)];
  const [hasWrite, hasTime] = [at !== undefined && write >= 1, by !== undefined && milliseconds >= 1];
  const kind = writeDisturbances.find((known) => known === name);
  if (kind && hasWrite && !hasTime && resource === undefined) return { kind, write };
  if (name === "freeze" && resource !== undefined && hasWrite && hasTime)
    return { kind: "freeze", resource, write, milliseconds };
  if (name === "delay-watch" && resource !== undefined && !hasWrite && hasTime)
    return { kind: "delay-watch", resource, milliseconds };
  if (name === "delay-write" && resource === undefined && hasWrite && hasTime)
    return { kind: "delay-write", write, milliseconds };
  throw new TypeError(`${word} is no disturbance; they look like crash-after@3 or freeze:configmaps@3+30000`);
}
