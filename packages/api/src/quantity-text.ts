// The text form of quantities: the grammar Kubernetes reads, and the canonical form it prints. The arithmetic is in
// quantity.ts. Some well-formed text counts as canonical although a stricter printer would rewrite it ("1.500",
// "1E3", "+1"): the API server keeps it as written, so that is kept here too.

/** The kind of suffix a quantity was written with; it is printed with the same kind. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A number mantissa × 10^exponent and how it was written. */
export interface QuantityParts {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The API server would give the text back as it is. */
  readonly isCanonical: boolean;
}

interface Suffix {
  readonly base: 2 | 10;
  readonly power: number;
  readonly format: QuantityFormat;
}

const formatWrong =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericWrong = "unable to parse numeric part of quantity";
const suffixWrong = "unable to parse quantity's suffix";

/** The largest power the exponent of a quantity can hold. */
const maxPower = 2_147_483_647;
const maxInt64 = 2n ** 63n - 1n;
const nano = -9;
/** Longer numbers are refused: they are never meant, and parsing them takes time. */
const maxDigits = 10_000;

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...binarySuffixes.map((text, i): [string, Suffix] => [
    text,
    { base: 2, power: i * 10, format: "BinarySI" },
  ]),
  ...decimalSuffixes.map((text, i): [string, Suffix] => [
    text,
    { base: 10, power: i * 3 + nano, format: "DecimalSI" },
  ]),
]);
const suffixShape = /^[eEinumkKMGTP]*[-+]?[0-9]*$/;
const exponentShape = /^[eE]([-+]?[0-9]+)$/;

const powersOfTen: readonly bigint[] = Array.from({ length: 40 }, (_, power) => 10n ** BigInt(power));

/** 10^power. */
export function powerOfTen(power: number): bigint {
  return powersOfTen[power] ?? 10n ** BigInt(power);
}

/** Divides by 10^digits, away from zero when it does not divide evenly. */
export function divideAwayFromZero(mantissa: bigint, digits: number): bigint {
  const divisor = powerOfTen(digits);
  const quotient = mantissa / divisor;
  if (quotient * divisor === mantissa) return quotient;
  return mantissa > 0n ? quotient + 1n : quotient - 1n;
}

/** Reads a quantity; throws a SyntaxError with Kubernetes' message when it is none. */
export function readQuantity(text: string): QuantityParts {
  if (text === "") throw new SyntaxError(formatWrong);
  const signed = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  const start = skip(text, signed, isZero);
  const point = skip(text, start, isDigit);
  const hasPoint = text[point] === ".";
  const end = hasPoint ? skip(text, point + 1, isDigit) : point;
  const suffix = readSuffix(text.slice(end));
  const fraction = hasPoint ? text.slice(point + 1, end) : "";
  const digits = (text.slice(start, point) || "0") + fraction;
  if (digits.length > maxDigits) throw new SyntaxError(numericWrong);

  const isShort = fitsInt64(digits.length, fraction.length, suffix);
  // Kubernetes takes a missing number for zero, but only on the path it takes for short ones.
  if (!isShort && end - signed === (hasPoint ? 1 : 0)) throw new SyntaxError(numericWrong);
  const number = BigInt(digits);
  const unsigned = suffix.base === 2 ? number << BigInt(suffix.power) : number;
  const exponent = (suffix.base === 2 ? 0 : suffix.power) - fraction.length;
  const rounded = bounded(unsigned, exponent, suffix.format);
  return {
    mantissa: text.startsWith("-") ? -rounded.mantissa : rounded.mantissa,
    exponent: rounded.exponent,
    format: rounded.format,
    isCanonical: isShort && isKeptAsWritten(digits, number, exponent, suffix.base),
  };
}

function readSuffix(text: string): Suffix {
  const known = suffixes.get(text);
  if (known) return known;
  if (!suffixShape.test(text)) throw new SyntaxError(formatWrong);
  const power = Number(exponentShape.exec(text)?.[1] ?? Number.NaN);
  if (!(Math.abs(power) <= maxPower)) throw new SyntaxError(suffixWrong);
  return { base: 10, power, format: "DecimalExponent" };
}

/** True when Kubernetes reads the number into an int64, where it leaves text alone that is canonical already. */
function fitsInt64(digits: number, decimals: number, { base, power }: Suffix): boolean {
  if (base === 10) return digits <= 18 && power - decimals >= nano;
  return decimals === 0 && digits + Math.trunc((power * 3) / 10) <= 14;
}

function isKeptAsWritten(digits: string, number: bigint, exponent: number, base: 2 | 10): boolean {
  if (base === 2) return (number & 7n) !== 0n;
  return exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

/** Rounds up to nano, since who asks for some resources gets some; caps binary amounts at the largest int64. */
function bounded(
  unsigned: bigint,
  exponent: number,
  format: QuantityFormat,
): Omit<QuantityParts, "isCanonical"> {
  if (unsigned === 0n) return { mantissa: 0n, exponent: 0, format };
  let mantissa = unsigned;
  if (exponent < nano) {
    mantissa = nano - exponent > maxDigits + 20 ? 1n : divideAwayFromZero(unsigned, nano - exponent);
  }
  const bound = Math.max(exponent, nano);
  if (format !== "BinarySI") return { mantissa, exponent: bound, format };
  const unit = powerOfTen(-bound);
  if (mantissa > maxInt64 * unit) return { mantissa: maxInt64, exponent: 0, format };
  return { mantissa, exponent: bound, format: mantissa < unit ? "DecimalSI" : format };
}

/** The canonical form: no fraction, and the largest suffix that loses nothing. */
export function printQuantity(mantissa: bigint, exponent: number, format: QuantityFormat): string {
  if (mantissa === 0n) return "0";
  const sign = mantissa < 0n ? "-" : "";
  const magnitude = mantissa < 0n ? -mantissa : mantissa;
  const whole = format === "BinarySI" ? wholeNumber(magnitude, exponent) : undefined;
  if (whole === undefined || whole < 1024n) {
    return sign + printDecimal(magnitude, exponent, format === "DecimalExponent");
  }
  let rest = whole;
  let steps = 0;
  while (rest % 1024n === 0n) {
    rest /= 1024n;
    steps += 1;
  }
  const suffix = binarySuffixes[steps];
  return sign + (suffix === undefined ? printDecimal(magnitude, exponent, true) : `${rest}${suffix}`);
}

function wholeNumber(magnitude: bigint, exponent: number): bigint | undefined {
  if (exponent >= 0) return magnitude * powerOfTen(exponent);
  const unit = powerOfTen(-exponent);
  return magnitude % unit === 0n ? magnitude / unit : undefined;
}

function printDecimal(magnitude: bigint, exponent: number, asExponent: boolean): string {
  const all = magnitude.toString();
  let end = all.length;
  while (all[end - 1] === "0") end -= 1;
  const power = exponent + all.length - end;
  const padding = ((power % 3) + 3) % 3;
  const step = power - padding;
  const suffix = asExponent ? undefined : decimalSuffixes[(step - nano) / 3];
  return all.slice(0, end) + "0".repeat(padding) + (suffix ?? (step === 0 ? "" : `e${step}`));
}

function skip(text: string, from: number, matches: (code: number) => boolean): number {
  let at = from;
  while (matches(text.charCodeAt(at))) at += 1;
  return at;
}

const isZero = (code: number): boolean => code === 48;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
