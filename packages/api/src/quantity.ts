// Resource amounts ("500m", "1.5Gi", "1e3") with exact arithmetic: mantissa × 10^exponent, the mantissa a bigint, so
// that nothing is rounded except where Kubernetes rounds.
import type { Quantity } from "./generated/meta-v1.js";
import {
  divideAwayFromZero,
  powerOfTen,
  printQuantity,
  type QuantityFormat,
  readQuantity,
} from "./quantity-text.js";

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);
/** Amounts further apart than this many digits are not added: the sum would take that many digits to write. */
const maxShift = 10_000;

/** An immutable amount that remembers the format it was written in. */
export class Amount {
  readonly format: QuantityFormat;
  readonly #mantissa: bigint;
  readonly #exponent: number;
  /** Within 1e-14 of the value: decides nearly every comparison without touching bigints. */
  readonly #near: number;
  #text: string | undefined;

  private constructor(mantissa: bigint, exponent: number, format: QuantityFormat, text?: string) {
    this.#mantissa = mantissa;
    this.#exponent = exponent;
    this.format = format;
    this.#near = Number(mantissa) * 10 ** exponent;
    this.#text = text;
  }

  /** The amount value × 10^exponent. */
  static of(value: bigint | number, format: QuantityFormat = "DecimalSI", exponent = 0): Amount {
    return new Amount(BigInt(value), exponent, format);
  }

  /**
   * Reads a quantity; throws a SyntaxError with Kubernetes' message when it is none.
   *
   * @example
   * Amount.parse("0.5Gi").add(Amount.parse("1Gi")).toString(); // "1536Mi"
   */
  static parse(quantity: Quantity): Amount {
    const text = typeof quantity === "number" ? String(quantity) : quantity;
    const { mantissa, exponent, format, isCanonical } = readQuantity(text);
    return new Amount(mantissa, exponent, format, isCanonical ? text : undefined);
  }

  /** Negative, zero or positive, as for a sort. */
  compare(other: Amount): -1 | 0 | 1 {
    const mine = this.#near;
    const theirs = other.#near;
    const gap = mine - theirs;
    if (Math.abs(gap) > 1e-12 * Math.max(Math.abs(mine), Math.abs(theirs))) return gap > 0 ? 1 : -1;
    if (this.#exponent === other.#exponent) return order(this.#mantissa, other.#mantissa);
    return this.#compareExactly(other);
  }

  #compareExactly(other: Amount): -1 | 0 | 1 {
    const sign = this.sign();
    if (sign !== other.sign()) return sign > other.sign() ? 1 : -1;
    if (sign === 0) return 0;
    // Exponents can be billions apart; only numbers of the same magnitude are written out to be compared.
    const magnitude = this.#magnitude() - other.#magnitude();
    if (magnitude !== 0) return magnitude > 0 === sign > 0 ? 1 : -1;
    const shift = this.#exponent - other.#exponent;
    return shift > 0
      ? order(this.#mantissa * powerOfTen(shift), other.#mantissa)
      : order(this.#mantissa, other.#mantissa * powerOfTen(-shift));
  }

  /** The position of the first digit before the decimal point. */
  #magnitude(): number {
    const text = this.#mantissa.toString();
    return this.#exponent + text.length - (this.#mantissa < 0n ? 1 : 0);
  }

  /** True when both are the same number, however written. */
  equals(other: Amount): boolean {
    return this.compare(other) === 0;
  }

  /** The sum, in this amount's format (in the other's when this is zero). */
  add(other: Amount): Amount {
    if (this.#mantissa === 0n) return other;
    if (other.#mantissa === 0n) return this;
    const shift = this.#exponent - other.#exponent;
    if (Math.abs(shift) > maxShift)
      throw new RangeError(`${this} and ${other} are too far apart to be added`);
    return shift >= 0
      ? new Amount(this.#mantissa * powerOfTen(shift) + other.#mantissa, other.#exponent, this.format)
      : new Amount(this.#mantissa + other.#mantissa * powerOfTen(-shift), this.#exponent, this.format);
  }

  /** The difference, in this amount's format (in the other's when this is zero). */
  subtract(other: Amount): Amount {
    return this.add(other.negate());
  }

  /** The amount with its sign turned. */
  negate(): Amount {
    return new Amount(-this.#mantissa, this.#exponent, this.format);
  }

  /** The amount times a whole number. */
  multiply(factor: bigint | number): Amount {
    return new Amount(this.#mantissa * BigInt(factor), this.#exponent, this.format);
  }

  /** The nearest multiple of 10^exponent, away from zero. */
  roundUp(exponent: number): Amount {
    if (this.#exponent >= exponent || this.#mantissa === 0n) return this;
    const isBelow = this.#magnitude() <= exponent;
    const mantissa = isBelow
      ? BigInt(this.sign())
      : divideAwayFromZero(this.#mantissa, exponent - this.#exponent);
    return new Amount(mantissa, exponent, this.format);
  }

  /** -1, 0 or 1. */
  sign(): -1 | 0 | 1 {
    return order(this.#mantissa, 0n);
  }

  /** Whole units, rounded away from zero, held within an int64. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** Thousandths (CPU is counted in them), rounded away from zero, held within an int64. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** Multiples of 10^exponent, rounded away from zero, held within an int64. */
  scaledValue(exponent: number): bigint {
    const rounded = this.roundUp(exponent);
    const shift = Math.min(rounded.#exponent - exponent, 19);
    const scaled = rounded.#mantissa * powerOfTen(shift);
    if (scaled > maxInt64) return maxInt64;
    if (scaled < minInt64) return minInt64;
    return scaled;
  }

  /** The whole number this is; undefined when it was written with decimal places or is beyond an int64. */
  toInt64(): bigint | undefined {
    if (this.#exponent < 0) return undefined;
    const value = this.scaledValue(0);
    return this.equals(Amount.of(value)) ? value : undefined;
  }

  /** The nearest double; for charts and ratios, not for accounting. */
  toNumber(): number {
    return Number(`${this.#mantissa}e${this.#exponent}`);
  }

  /** The canonical form, as the API server prints it. */
  toString(): string {
    this.#text ??= printQuantity(this.#mantissa, this.#exponent, this.format);
    return this.#text;
  }

  /** The canonical form, so that an amount can stand in an object that is sent. */
  toJSON(): string {
    return this.toString();
  }
}

/** Negative, zero or positive, as for a sort; throws a SyntaxError when either is no quantity. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return Amount.parse(a).compare(Amount.parse(b));
}

/** The text the API server would answer with: `1.5` is `1500m`, `1024Mi` is `1Gi`. */
export function canonicalQuantity(quantity: Quantity): string {
  return Amount.parse(quantity).toString();
}

/** True when the API server would accept it. */
export function isQuantity(quantity: Quantity): boolean {
  try {
    Amount.parse(quantity);
    return true;
  } catch {
    return false;
  }
}

function order(a: bigint, b: bigint): -1 | 0 | 1 {
  if (a === b) return 0;
  return a > b ? 1 : -1;
}
