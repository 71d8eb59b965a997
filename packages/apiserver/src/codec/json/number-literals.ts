// JavaScript has one number type; Go tells `1` from `1.0` and keeps 64-bit integers. What the text of a body said is
// kept beside the value, for the few numbers where it matters.

/** The text of numbers that are not plain small integers, by the object or list that holds them and their key. */
export interface NumberLiterals {
  get(holder: object): LiteralsByKey | undefined;
  values(): Iterable<LiteralsByKey>;
  /** The first integer that would be rounded, and its key. */
  readonly firstRounded: readonly [key: string | number, literal: string] | undefined;
}

/** The texts of the numbers in one object or list. */
export interface LiteralsByKey extends Iterable<readonly [string | number, string]> {
  get(key: string | number): string | undefined;
}

/** Holders in one part of a store: a map that has more takes long to grow. */
const partSize = 32 * 1024;

/** Keeps literals, however many there are, without ever taking long for one of them. */
export class LiteralStore implements NumberLiterals {
  readonly #parts: Map<object, KeptByKey>[] = [];
  readonly #rounded: { readonly holder: object; readonly key: string | number; readonly literal: string }[] =
    [];

  keep(holder: object, key: string | number, literal: string): void {
    if (wouldBeRounded(literal)) this.#rounded.push({ holder, key, literal });
    const known = this.#find(holder);
    if (known) known.set(key, literal);
    else this.#add(holder).set(key, literal);
  }

  /** A field is written anew, so that what stood there before does not count. */
  forget(holder: object, field: string): void {
    this.#find(holder)?.delete?.(field);
  }

  get(holder: object): LiteralsByKey | undefined {
    return this.#find(holder);
  }

  *values(): Iterable<LiteralsByKey> {
    for (const part of this.#parts) yield* part.values();
  }

  get firstRounded(): readonly [key: string | number, literal: string] | undefined {
    const first = this.#rounded.find(({ holder, key, literal }) => this.get(holder)?.get(key) === literal);
    return first && [first.key, first.literal];
  }

  /** Undefined where nothing was kept. */
  get ifAny(): NumberLiterals | undefined {
    return this.#parts.length > 0 ? this : undefined;
  }

  #find(holder: object): KeptByKey | undefined {
    for (let index = this.#parts.length - 1; index >= 0; index--) {
      const found = this.#parts[index]?.get(holder);
      if (found) return found;
    }
    return undefined;
  }

  #add(holder: object): KeptByKey {
    let part = this.#parts.at(-1);
    if (!part || part.size >= partSize) {
      part = new Map();
      this.#parts.push(part);
    }
    const added = Array.isArray(holder) ? new ListLiterals() : new Map<string | number, string>();
    part.set(holder, added);
    return added;
  }
}

interface KeptByKey extends LiteralsByKey {
  set(key: string | number, literal: string): unknown;
  delete?(key: string | number): unknown;
}

/** By index: a list grows faster than a map. */
class ListLiterals implements KeptByKey {
  readonly #texts: string[] = [];
  readonly #indexes: number[] = [];

  set(index: string | number, literal: string): void {
    this.#indexes.push(Number(index));
    this.#texts.push(literal);
  }

  /** They were kept in order. */
  get(index: string | number): string | undefined {
    const wanted = Number(index);
    let low = 0;
    let high = this.#indexes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#indexes[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#indexes[low] === wanted ? this.#texts[low] : undefined;
  }

  *[Symbol.iterator](): Iterator<readonly [number, string]> {
    for (const [at, index] of this.#indexes.entries()) yield [index, this.#texts[at] ?? ""];
  }
}

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
/** Characters of the longest integer of 64 bits, with its sign. JSON has no leading zeros. */
const int64Length = 20;

/** True for the text of a number without fraction and exponent. */
export function isIntegerLiteral(literal: string): boolean {
  return /^-?[0-9]+$/.test(literal);
}

/** True for an integer the real server would keep exactly (64 bits) and a JavaScript number would round. */
export function wouldBeRounded(literal: string): boolean {
  // Reading a great many digits exactly takes time that grows with their square.
  if (literal.length < 16 || literal.length > int64Length || !isIntegerLiteral(literal)) return false;
  const exact = BigInt(literal);
  return exact >= int64Min && exact <= int64Max && BigInt(Number(literal)) !== exact;
}

/** What is said of an integer that cannot be kept exactly; silently rounding it is never an option. */
export function roundedIntegerMessage(literal: string): string {
  return `integer ${literal} is beyond what this server keeps exactly (±2^53); write it as a string`;
}

/** What is said of the first integer that would be rounded, for kinds without a native type; undefined when there is none. */
export function roundedInteger(literals: NumberLiterals | undefined): string | undefined {
  const first = literals?.firstRounded;
  return first && roundedMessage(...first);
}

/** The same of those in one object or list. */
export function roundedIntegerIn(literals: LiteralsByKey): string | undefined {
  for (const [key, literal] of literals) if (wouldBeRounded(literal)) return roundedMessage(key, literal);
  return undefined;
}

const roundedMessage = (key: string | number, literal: string): string =>
  `field "${key}": ${roundedIntegerMessage(literal)}`;
