// An action is one thing that people, or the cluster, do to an operator's objects in a walk through their states. A walk is repeated exactly by
// the list of its actions, so each has a text.

/** After each action so many milliseconds pass. */
export type Action = { readonly wait: number } & (
  | /** The object of that number becomes another valid one, which the seed decides; it is created where it is not there. */
  { readonly kind: "change"; readonly object: number; readonly seed: number }
  /** The object of that number is deleted. */
  | { readonly kind: "remove"; readonly object: number }
  /** One of the objects that the operator made is deleted or edited. */
  | { readonly kind: "delete-child" | "edit-child"; readonly choice: number }
  /** Pods do not become ready any more; or they do again. */
  | { readonly kind: "fail-pods" | "heal-pods" }
  /** The manager crashes, after so many more writes, and starts again. */
  | { readonly kind: "crash"; readonly choice: number }
);

/** The text of a walk: `change:0#17+1000 delete-child#3+0`. */
export function walkText(actions: readonly Action[]): string {
  return actions.map(oneText).join(" ");
}

function oneText(action: Action): string {
  const about = "object" in action ? `:${action.object}` : "";
  const choice = "seed" in action ? `#${action.seed}` : "choice" in action ? `#${action.choice}` : "";
  return `${action.kind}${about}${choice}+${action.wait}`;
}

const pattern = /^([a-z-]+)(?::(\d+))?(?:#(\d+))?\+(\d+)$/;

/** Whether a text is that of a walk, and not of disturbances. */
export const isWalkText = (text: string): boolean =>
  /^\s*(change|remove|delete-child|edit-child|fail-pods|heal-pods|crash)[:#+]/.test(text);

/** Reads the text of a walk; throws a TypeError for a word that is no action. */
export function parseWalk(text: string): readonly Action[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(parseOne);
}

function parseOne(word: string): Action {
  const [, kind, about, number, by] = pattern.exec(word) ?? [];
  const wait = Number(by);
  const parts = [about && ":", number && "#"].join("");
  if (kind === "change" && parts === ":#") return { kind, object: Number(about), seed: Number(number), wait };
  if (kind === "remove" && parts === ":") return { kind, object: Number(about), wait };
  if ((kind === "delete-child" || kind === "edit-child" || kind === "crash") && parts === "#")
    return { kind, choice: Number(number), wait };
  if ((kind === "fail-pods" || kind === "heal-pods") && parts === "") return { kind, wait };
  throw new TypeError(`${word} is no action; they look like change:0#17+1000 or delete-child#3+0`);
}

const waits = [0, 0, 0, 100, 1_000, 10_000, 60_000];

/** A crash comes before the first write that follows, or after one of so many. */
const mostWrites = 8;

/** A random walk among so many objects. */
export function randomWalk(random: () => number, objects: number): readonly Action[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: 3 + below(8) }, (_, index): Action => {
    const wait = waits[below(waits.length)] ?? 0;
    const [object, choice, kind] = [below(objects), below(1_000), random()];
    if (index === 0 || kind < 0.45) return { kind: "change", object, seed: choice, wait };
    if (kind < 0.6) return { kind: "delete-child", choice, wait };
    if (kind < 0.75) return { kind: "edit-child", choice, wait };
    if (kind < 0.83) return { kind: "remove", object, wait };
    if (kind < 0.87) return { kind: "fail-pods", wait };
    if (kind < 0.91) return { kind: "heal-pods", wait };
    return { kind: "crash", choice: choice % mostWrites, wait };
  });
}
