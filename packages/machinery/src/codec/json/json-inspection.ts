// JSON inspection: one cheap scan of a body that proves, for almost all of them, that JSON.parse loses nothing.

/** Nesting beyond this is refused; everything that walks objects may recurse this deep. */
export const maxDepth = 512;

export interface JsonInspection {
  /** Keys of all objects, duplicates included, if the text is JSON at all. */
  readonly keys: number;
  /**
   * True when JSON.parse says all there is to say: no number whose text matters, no lone surrogates, not too deep.
   * What is no JSON may count as faithful too; JSON.parse refuses it.
   */
  readonly faithful: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;
const lowerE = 0x65;
const lowerU = 0x75;
const lowerD = 0x64;
/** Up to 15 digits fit a double whatever they are. */
const safeDigits = 15;

const aString = 1;
const aNumber = 2;
const aKey = 3;
const anOpening = 4;
const aClosing = 5;

/** The kind of token that a byte begins; 0 for bytes to skip. */
const begins = new Uint8Array(256);
for (const [bytes, what] of [
  ['"', aString],
  ["-0123456789", aNumber],
  [":", aKey],
  ["{[", anOpening],
  ["}]", aClosing],
] as const) {
  for (const byte of bytes) begins[byte.charCodeAt(0)] = what;
}

/** Looks a JSON text over without parsing it. */
export function inspectJson(bytes: Uint8Array): JsonInspection {
  let keys = 0;
  let depth = 0;
  let faithful = true;
  let i = 0;
  while (i < bytes.length) {
    const what = begins[bytes[i++] ?? 0];
    if (what === aKey) keys++;
    else if (what === aString || what === aNumber) {
      const stop = what === aString ? endOfString(bytes, i) : endOfNumber(bytes, i);
      if (stop < 0) faithful = false;
      i = Math.abs(stop);
    } else if (what === anOpening) {
      if (++depth > maxDepth) return { keys, faithful: false };
    } else if (what === aClosing) depth--;
  }
  return { keys, faithful };
}

/** Where the string ends that begins at `start`; negative when it may hold a lone surrogate. */
function endOfString(bytes: Uint8Array, start: number): number {
  let sign = 1;
  let i = start;
  while (i < bytes.length) {
    const byte = bytes[i++];
    if (byte === quote) break;
    if (byte === backslash) {
      if (bytes[i] === lowerU && ((bytes[i + 1] ?? 0) | 0x20) === lowerD) sign = -1;
      i++;
    }
  }
  return sign * i;
}

/** Where the number ends whose first byte stands before `start`; negative when its text matters. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  let i = start;
  let plain = !(bytes[start - 1] === minus && bytes[start] === zero);
  let fraction = false;
  let nonZeroFraction = false;
  for (; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= zero && byte <= nine) {
      if (fraction && byte !== zero) nonZeroFraction = true;
    } else if (byte === dot) fraction = true;
    else if ((byte | 0x20) === lowerE) plain = false;
    else break;
  }
  if (fraction && !nonZeroFraction) plain = false;
  if (i - start >= safeDigits) plain = false;
  return plain ? i : -i;
}

/** Keys of all objects inside a parsed value: fewer than its text has when some stood twice. */
export function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") keys += countKeys(item);
    return keys;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    keys++;
    const child = object[key];
    if (typeof child === "object") keys += countKeys(child);
  }
  return keys;
}
