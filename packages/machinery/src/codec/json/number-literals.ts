// JavaScript has one number type; Go distinguishes `1` from `1.0` and reads quantities as they were written. The text of such numbers is kept
// beside the value.

/** The text of numbers that are not plain integers, by the object or list that holds them and their key. */
export interface NumberLiterals {
  get(holder: object): ReadonlyMap<string | number, string> | undefined;
}

/** Gathers the literals of one body. */
export class LiteralStore implements NumberLiterals {
  readonly #holders = new Map<object, Map<string | number, string>>();

  keep(holder: object, key: string | number, literal: string): void {
    const known = this.#holders.get(holder);
    if (known) known.set(key, literal);
    else this.#holders.set(holder, new Map([[key, literal]]));
  }

  /** A key stands twice: the text of its first value does not count. */
  forget(holder: object, key: string): void {
    this.#holders.get(holder)?.delete(key);
  }

  get(holder: object): ReadonlyMap<string | number, string> | undefined {
    return this.#holders.get(holder);
  }

  /** Undefined where nothing was kept. */
  get ifAny(): NumberLiterals | undefined {
    return this.#holders.size > 0 ? this : undefined;
  }
}

/** True for the text of a number without fraction and exponent. */
export function isIntegerLiteral(literal: string): boolean {
  return /^-?[0-9]+$/.test(literal);
}
