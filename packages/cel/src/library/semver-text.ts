// Semantic versions: parsed strictly, or leniently on request, and ordered.

/** A version; build metadata plays no part in order and equality. */
export interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];
}

const numeric = /^(?:0|[1-9]\d*)$/;
const identifier = /^[0-9A-Za-z-]+$/;
const maxUint64 = 2n ** 64n - 1n;
const maxLength = 1000;

function parseNumber(text: string | undefined): bigint | undefined {
  if (text === undefined || text.length > 20 || !numeric.test(text)) return undefined;
  const value = BigInt(text);
  return value > maxUint64 ? undefined : value;
}

/** The version, or undefined. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > maxLength) return undefined;
  const [withoutBuild = "", build] = cut(text, "+");
  const [core = "", prerelease] = cut(withoutBuild, "-");
  const parts = core.split(".");
  const [major, minor, patch] = parts.map(parseNumber);
  if (parts.length !== 3 || major === undefined || minor === undefined || patch === undefined)
    return undefined;
  if (build?.split(".").some((part) => !identifier.test(part))) return undefined;
  const tags = prerelease?.split(".") ?? [];
  // A tag of digits is a number, and numbers have no leading zeros.
  if (tags.some((tag) => !identifier.test(tag) || (/^\d+$/.test(tag) && !numeric.test(tag))))
    return undefined;
  return { numbers: [major, minor, patch], prerelease: tags };
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The same for versions as people write them: `v1.2`, `01.2.3`. */
export function parseLenientVersion(text: string): Version | undefined {
  const parts = splitThree(text.startsWith("v") ? text.slice(1) : text).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return undefined;
  while (parts.length < 3) parts.push("0");
  return parseVersion(parts.join("."));
}

function splitThree(text: string): string[] {
  const [major = "", rest] = cut(text, ".");
  if (rest === undefined) return [major];
  const [minor = "", patch] = cut(rest, ".");
  return patch === undefined ? [major, minor] : [major, minor, patch];
}

function withoutZeros(part: string): string {
  if (part.length < 2) return part;
  const trimmed = part.replace(/^0+/, "");
  return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
}

/** Negative, zero or positive. */
export function compareVersions(a: Version, b: Version): number {
  for (const [index, value] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (value !== other) return value < other ? -1 : 1;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

/** A release comes after its prereleases; more tags come after fewer. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (const [index, tag] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareTags(tag, other);
    if (order !== 0) return order;
  }
  return a.length === b.length ? 0 : -1;
}

/** Numbers come before words. */
function compareTags(a: string, b: string): number {
  const [x, y] = [numeric.test(a), numeric.test(b)];
  if (x !== y) return x ? -1 : 1;
  if (x) return a.length === b.length ? order(a, b) : Math.sign(a.length - b.length);
  return order(a, b);
}

const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
