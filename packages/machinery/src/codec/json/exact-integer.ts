// Integers of 64 bits, as Kubernetes keeps them. Inside the server those that a JavaScript number would print otherwise are bigints.

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
/** Characters of the longest integer of 64 bits with its sign; JSON has no leading zeros. */
const int64Length = 20;

/**
 * The integer a literal stands for: a number where that prints the same, a bigint for other integers of 64 bits. Undefined for what is larger, which
 * Go decodes as a float.
 */
export function exactInteger(literal: string): number | bigint | undefined {
  const rounded = Number(literal);
  if (Number.isSafeInteger(rounded)) return rounded === 0 ? 0 : rounded;
  // Reading a great many digits exactly takes time that grows with their square.
  if (literal.length > int64Length) return undefined;
  const exact = BigInt(literal);
  return isInt64(exact) ? compactInteger(exact) : undefined;
}

/** The integer as a number, where that prints the same. */
export function compactInteger(exact: bigint): number | bigint {
  const rounded = Number(exact);
  return Number.isSafeInteger(rounded) || String(rounded) === String(exact) ? rounded : exact;
}

export const isInt64 = (value: bigint): boolean => value >= int64Min && value <= int64Max;
