// Ordinary values and bytes with some places changed: most of what they say is still understood, so that the rest is looked at.
import type { Random } from "./random.js";
import { fields, key, put, value } from "./values.js";

/** A copy of the value that says something else of the same sort: most rules take it. */
export function varied(random: Random, original: unknown): unknown {
  if (Array.isArray(original)) {
    const items = original.filter(() => random.chance(0.95)).map((item) => varied(random, item));
    return random.chance(0.05) ? items.reverse() : items;
  }
  if (typeof original === "object" && original !== null) {
    const kept = Object.entries(original).filter(() => random.chance(0.95));
    return fields(kept.map(([name, inner]) => [name, varied(random, inner)]));
  }
  if (random.chance(0.9)) return original;
  if (typeof original === "number") return random.chance(0.5) ? original + 1 : random.below(20);
  if (typeof original === "boolean") return !original;
  return typeof original === "string" ? random.pick(["a", "web", `${original}x`]) : original;
}

type Holder = Record<string, unknown> | unknown[];

/** A copy of the value with a few places replaced, removed, added or repeated. */
export function mutated(random: Random, original: unknown): unknown {
  let copy: unknown = structuredClone(original);
  for (let edits = 1 + random.below(3); edits > 0; edits--) copy = edited(random, copy);
  return copy;
}

function edited(random: Random, whole: unknown): unknown {
  const found = placeIn(random, whole);
  if (!found) return value(random);
  const [holder, name] = found;
  const action = random.below(8);
  if (action < 4) put(holder, name, value(random));
  else if (action < 6) remove(holder, name);
  else {
    const added = action === 6 ? value(random) : structuredClone(own(holder, name));
    if (Array.isArray(holder)) holder.push(...repeated(random, added));
    else put(holder, key(random), added);
  }
  return whole;
}

/** Characters of what is repeated: more than any body may have. */
const mostRepeated = 4_000_000;

/** Rarely very often. */
function repeated(random: Random, item: unknown): unknown[] {
  if (!random.chance(0.02)) return [item];
  const times = random.pick([100, 3000]);
  const length = JSON.stringify(item)?.length ?? 1;
  return Array<unknown>(Math.min(times, Math.ceil(mostRepeated / length))).fill(item);
}

/** A walk from the root that stops somewhere. */
function placeIn(random: Random, root: unknown): readonly [Holder, string] | undefined {
  let found: readonly [Holder, string] | undefined;
  let at = root;
  while (typeof at === "object" && at !== null) {
    const names = Object.keys(at);
    if (names.length === 0) break;
    found = [at as Holder, random.pick(names)];
    if (random.chance(0.25)) break;
    at = own(found[0], found[1]);
  }
  return found;
}

const own = (holder: Holder, name: string): unknown => Object.getOwnPropertyDescriptor(holder, name)?.value;

function remove(holder: Holder, name: string): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else delete holder[name];
}

const telling = [0x00, 0x7f, 0x80, 0xff, 0x0a, 0x20, 0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d];

/** The bytes with some overwritten, cut out or repeated. */
export function mutatedBytes(random: Random, original: Uint8Array): Buffer {
  let bytes = Buffer.from(original);
  for (let edits = 1 + random.below(4); edits > 0; edits--) {
    const at = random.below(bytes.length + 1);
    const action = random.below(4);
    if (action === 0)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(16))]);
    else if (action === 1)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 20))]);
    else if (at < bytes.length) bytes[at] = random.chance(0.5) ? random.pick(telling) : random.below(256);
  }
  return bytes;
}
