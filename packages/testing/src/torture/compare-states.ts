// The differences between the state a run ended in and the one it should have ended in, in words.
import { isObject } from "@kubewright/api";
import type { ObjectStates } from "./object-state.js";

/** One line for each object that differs. */
export function differences(expected: ObjectStates, found: ObjectStates): readonly string[] {
  const lines: string[] = [];
  for (const [id, states] of expected) {
    const others = found.get(id) ?? [];
    if (others.length < states.length) lines.push(countText(id, states.length, others.length));
    const texts = new Set(others.map(text));
    const odd = states.find((state) => !texts.has(text(state)));
    if (odd !== undefined && others.length >= states.length)
      lines.push(`${id}: ${firstDifference(odd, others[0], "") ?? "differs"}`);
  }
  for (const [id, states] of found) {
    const count = expected.get(id)?.length ?? 0;
    if (states.length > count)
      lines.push(count === 0 ? `${id} is left over` : `${id} is there ${states.length} times, not ${count}`);
  }
  return lines;
}

const text = (value: unknown): string => JSON.stringify(value);

const countText = (id: string, expected: number, found: number): string =>
  found === 0 ? `${id} is missing` : `${id} is there ${found} times, not ${expected}`;

/** `status.ready is 1, undisturbed it is 2`. */
function firstDifference(expected: unknown, found: unknown, path: string): string | undefined {
  if (text(expected) === text(found)) return undefined;
  if (isObject(expected) && isObject(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const inner = firstDifference(expected[key], found[key], path === "" ? key : `${path}.${key}`);
      if (inner !== undefined) return inner;
    }
  }
  if (Array.isArray(expected) && Array.isArray(found)) {
    const [wanted, got] = [itemsOf(expected), itemsOf(found)];
    for (const key of new Set([...wanted.keys(), ...got.keys()])) {
      const inner = firstDifference(wanted.get(key), got.get(key), `${path}[${key}]`);
      if (inner !== undefined) return inner;
    }
  }
  return `${path} is ${short(found)}, undisturbed it is ${short(expected)}`;
}

/** Items by their name or type, as people refer to them, and others by their index. */
function itemsOf(list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const keyOf = (item: unknown): unknown => (isObject(item) ? (item["type"] ?? item["name"]) : undefined);
  const keys = list.map(keyOf);
  const isKeyed = keys.every((key) => typeof key === "string") && new Set(keys).size === keys.length;
  return new Map(list.map((item, index) => [isKeyed ? String(keys[index]) : `${index}`, item]));
}

function short(value: unknown): string {
  const shown = value === undefined ? "not set" : text(value);
  return shown.length > 120 ? `${shown.slice(0, 117)}...` : shown;
}
