// CEL integers. An int is a JavaScript number while it is a safe integer and a bigint beyond, never both, so `===` and
// `<` are right for any two ints and ordinary arithmetic stays on numbers. Unsigned integers and doubles are rare in
// rules and carry a box that says what they are.
import { CelFailure } from "./failure.js";

/** A CEL int: always a number when safe, else a bigint. */
export type Int = number | bigint;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const maxUint64 = 2n ** 64n - 1n;
const minSafe = BigInt(Number.MIN_SAFE_INTEGER);
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** A CEL double. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A CEL uint. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** An unsigned integer. */
export const uint = (value: bigint): Uint => new Uint(value);

/** Whether a bigint fits into 64 bits without a sign. */
export const inUint64 = (value: bigint): boolean => value >= 0n && value <= maxUint64;

/** The int of that value, or undefined when it does not fit into 64 bits. */
export function fromBigInt(value: bigint): Int | undefined {
  if (value >= minSafe && value <= maxSafe) return Number(value);
  return value >= minInt64 && value <= maxInt64 ? value : undefined;
}

/** Whether a value is a signed integer in either form. */
export function isInt(value: unknown): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

const overflow = (): CelFailure => new CelFailure("integer overflow");
const unsignedOverflow = (): CelFailure => new CelFailure("unsigned integer overflow");

function checked(value: bigint): Int {
  const int = fromBigInt(value);
  if (int === undefined) throw overflow();
  return int;
}

/** `a + b`; fails beyond 64 bits. */
export function addInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checked(BigInt(a) + BigInt(b));
}

/** `a - b`; fails beyond 64 bits. */
export function subtractInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checked(BigInt(a) - BigInt(b));
}

/** `a * b`; fails beyond 64 bits. */
export function multiplyInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Adding 0 turns -0 into 0.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return checked(BigInt(a) * BigInt(b));
}

/** `a / b`, towards zero. */
export function divideInt(a: Int, b: Int): Int {
  if (b === 0) throw new CelFailure("division by zero");
  // Taking the remainder off first keeps the division exact.
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b + 0;
  return checked(BigInt(a) / BigInt(b));
}

/** `a % b`, with the sign of `a`. */
export function moduloInt(a: Int, b: Int): Int {
  if (b === 0) throw new CelFailure("modulus by zero");
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  if (a === minInt64 && b === -1) throw overflow();
  return checked(BigInt(a) % BigInt(b));
}

/** `-a`; fails for the least integer. */
export function negateInt(a: Int): Int {
  return typeof a === "number" ? 0 - a : checked(-a);
}

function checkedUint(value: bigint): Uint {
  if (!inUint64(value)) throw unsignedOverflow();
  return new Uint(value);
}

/** `a + b`; fails beyond 64 bits. */
export const addUint = (a: Uint, b: Uint): Uint => checkedUint(a.value + b.value);
/** `a - b`; fails below zero. */
export const subtractUint = (a: Uint, b: Uint): Uint => checkedUint(a.value - b.value);
/** `a * b`; fails beyond 64 bits. */
export const multiplyUint = (a: Uint, b: Uint): Uint => checkedUint(a.value * b.value);

/** `a / b`, rounded down. */
export function divideUint(a: Uint, b: Uint): Uint {
  if (b.value === 0n) throw new CelFailure("division by zero");
  return new Uint(a.value / b.value);
}

/** `a % b`. */
export function moduloUint(a: Uint, b: Uint): Uint {
  if (b.value === 0n) throw new CelFailure("modulus by zero");
  return new Uint(a.value % b.value);
}

/** A double as an int, rounded towards zero; fails outside of the range. */
export function intFromDouble(value: number): Int {
  // The range excludes its ends, as 2^63 itself is what the largest ints round to.
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw overflow();
  const whole = Math.trunc(value) + 0;
  return Number.isSafeInteger(whole) ? whole : checked(BigInt(whole));
}

/** `uint(1.5)`; fails for what does not fit. */
export function uintFromDouble(value: number): Uint {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw unsignedOverflow();
  return new Uint(BigInt(Math.trunc(value)));
}

/** An exact integer as an int; fails outside of the range. */
export const intFromBigInt = checked;
/** An unsigned integer of any that fits; fails for others. */
export const uintFromBigInt = checkedUint;
