// A disturbance is one thing that goes wrong at a known place. A run is repeated exactly by the list of its disturbances, so each has a text.

import type { WritePoint } from "./disturber.js";

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
  /** Somebody else deletes, or edits, what was written, right after it was. */
  | "delete-written"
  | "edit-written";

/** What goes wrong in one run of torture, and at which write. */
export type Disturbance =
  /** `write` counts the writes that the manager attempts, from 1. */
  | { readonly kind: WriteDisturbance; readonly write: number }
  /** From that write on, the manager sees no change of a resource for a while. */
  | {
      readonly kind: "freeze";
      readonly resource: string;
      readonly write: number;
      readonly milliseconds: number;
    }
  /** After `write` the manager crashes, and starts with the state of before the write `view`, which it sees for a while. */
  | {
      readonly kind: "older-view";
      readonly view: number;
      readonly write: number;
      readonly milliseconds: number;
    }
  /** The manager sees every change of a resource so much later. */
  | { readonly kind: "delay-watch"; readonly resource: string; readonly milliseconds: number }
  /** The write reaches the server so much later. */
  | { readonly kind: "delay-write"; readonly write: number; readonly milliseconds: number }
  /** The manager's timers come late, each by another time up to this. */
  | { readonly kind: "delay-timers"; readonly milliseconds: number };

/** Those that find most come first. */
export const writeDisturbances: readonly WriteDisturbance[] = [
  "crash-after",
  "fail",
  "lose-answer",
  "crash-before",
  "conflict",
  "delete-written",
  "edit-written",
];

/** The text of a list: `lose-answer@3 freeze:configmaps@3+30000`. */
export function disturbanceText(disturbances: readonly Disturbance[]): string {
  return disturbances.map(oneText).join(" ");
}

function oneText(disturbance: Disturbance): string {
  switch (disturbance.kind) {
    case "freeze":
      return `freeze:${disturbance.resource}@${disturbance.write}+${disturbance.milliseconds}`;
    case "older-view":
      return `older-view:${disturbance.view}@${disturbance.write}+${disturbance.milliseconds}`;
    case "delay-watch":
      return `delay-watch:${disturbance.resource}+${disturbance.milliseconds}`;
    case "delay-write":
      return `delay-write@${disturbance.write}+${disturbance.milliseconds}`;
    case "delay-timers":
      return `delay-timers+${disturbance.milliseconds}`;
    default:
      return `${disturbance.kind}@${disturbance.write}`;
  }
}

/** Reads the text of a list; throws a TypeError for a word that is no disturbance. */
export function parseDisturbances(text: string): readonly Disturbance[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(parseOne);
}

const pattern = /^([a-z-]+)(?::([a-z0-9.-]+))?(?:@([1-9]\d*))?(?:\+([1-9]\d*))?$/;

function parseOne(word: string): Disturbance {
  const [, name = "", about, at, by] = pattern.exec(word) ?? [];
  const [write, milliseconds] = [Number(at), Number(by)];
  /** The parts that are there: `:@+` for `freeze:configmaps@3+30000`. */
  const parts = [about && ":", at && "@", by && "+"].join("");
  const kind = writeDisturbances.find((known) => known === name);
  if (kind && parts === "@") return { kind, write };
  if (name === "freeze" && about && parts === ":@+")
    return { kind: "freeze", resource: about, write, milliseconds };
  if (name === "older-view" && parts === ":@+" && Number(about) >= 1)
    return { kind: "older-view", view: Number(about), write, milliseconds };
  if (name === "delay-watch" && about && parts === ":+")
    return { kind: "delay-watch", resource: about, milliseconds };
  if (name === "delay-write" && parts === "@+") return { kind: "delay-write", write, milliseconds };
  if (name === "delay-timers" && parts === "+") return { kind: "delay-timers", milliseconds };
  throw new TypeError(`${word} is no disturbance; they look like crash-after@3 or freeze:configmaps@3+30000`);
}

const words: Readonly<Record<WriteDisturbance, (write: string) => string>> = {
  "crash-before": (write) => `the manager crashed before ${write}`,
  "crash-after": (write) => `the manager crashed after ${write}`,
  fail: (write) => `the server failed ${write}`,
  "lose-answer": (write) => `the answer to ${write} was lost`,
  conflict: (write) => `the server refused ${write} with a conflict`,
  "delete-written": (write) => `somebody deleted the object right after ${write}`,
  "edit-written": (write) => `somebody edited the object right after ${write}`,
};

/** A disturbance in words. `writes` are those of its run, which say what each of them was. */
export function describeDisturbance(disturbance: Disturbance, writes: readonly WritePoint[]): string {
  const at = "write" in disturbance ? writes[disturbance.write - 1] : undefined;
  const request = at ? ` (${at.method} ${at.path})` : "";
  const write = "write" in disturbance ? `write ${disturbance.write}${request}` : "";
  switch (disturbance.kind) {
    case "freeze":
      return `no change of ${disturbance.resource} was seen for ${seconds(disturbance)} from ${write} on`;
    case "older-view":
      return `the manager crashed after ${write}, and for ${seconds(disturbance)} saw the state of before write ${disturbance.view}`;
    case "delay-watch":
      return `changes of ${disturbance.resource} were seen ${seconds(disturbance)} late`;
    case "delay-write":
      return `${write} came ${seconds(disturbance)} late`;
    case "delay-timers":
      return `timers came up to ${seconds(disturbance)} late`;
    default:
      return words[disturbance.kind](write);
  }
}

const seconds = ({ milliseconds }: { readonly milliseconds: number }): string => `${milliseconds / 1000} s`;
