// JavaScript has one number type; Go tells `1` from `1.0` and keeps 64-bit integers. What the text of a body said is
// kept beside the value, for the few numbers where it matters.

/** The text of numbers that are not plain small integers, by the object or list that holds them and their key. */
export type NumberLiterals = ReadonlyMap<object, ReadonlyMap<string | number, string>>;

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

/** The first integer that would be rounded, for kinds without a native type; undefined when there is none. */
export function roundedInteger(literals: NumberLiterals | undefined): string | undefined {
  for (const byKey of literals?.values() ?? []) {
    for (const [key, literal] of byKey) {
      if (wouldBeRounded(literal)) return `field "${key}": ${roundedIntegerMessage(literal)}`;
    }
  }
  return undefined;
}
