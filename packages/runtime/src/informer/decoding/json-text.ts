// Finding where a JSON value ends, without decoding it.

export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

const hashStart = 0x811c9dc5 | 0;
const hashFactor = 0x01000193;

/** Text that is no JSON, or none of the kind that is read here. */
export class UnreadableTextError extends Error {
  override readonly name = "UnreadableTextError";
}

/** Walks over values. What was found last is in its fields, so that nothing is made for it. */
export class JsonWalker {
  /** Of the text walked over, quotes and brackets included. */
  hash = 0;
  /** True when the string walked over means what it shows. */
  isPlain = true;
  isAscii = true;

  /** From the opening quote to behind the closing one. */
  overString(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let hash = hashStart;
    let all = 0;
    let isPlain = true;
    for (let at = start + 1; at < length; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.hash = mixed(hash);
        this.isPlain = isPlain;
        this.isAscii = all < 0x80;
        return at + 1;
      }
      hash = Math.imul(hash ^ byte, hashFactor);
      all |= byte;
      if (byte < 0x20) isPlain = false;
      else if (byte === backslash) {
        isPlain = false;
        hash = Math.imul(hash ^ (bytes[++at] ?? 0), hashFactor);
      }
    }
    throw new UnreadableTextError("a string has no end");
  }

  /** The same for one that is not looked for. */
  toEnd(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let all = 0;
    let isPlain = true;
    for (let at = start + 1; at < length; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.isPlain = isPlain;
        this.isAscii = all < 0x80;
        return at + 1;
      }
      all |= byte;
      if (byte < 0x20) isPlain = false;
      else if (byte === backslash) {
        isPlain = false;
        at++;
      }
    }
    throw new UnreadableTextError("a string has no end");
  }

  /** From an opening bracket to behind the closing one, of a part that is not looked for; 0 when there is none. */
  toContainerEnd(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let depth = 0;
    for (let at = start; at < length; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
      } else if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
    }
    return 0;
  }

  /** From an opening bracket to behind the closing one; 0 when that is further than `limit`. */
  overContainer(bytes: Uint8Array, start: number, limit: number): number {
    const end = Math.min(bytes.length, start + limit);
    let hash = hashStart;
    let depth = 0;
    let isInString = false;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      hash = Math.imul(hash ^ byte, hashFactor);
      if (byte === quote) isInString = !isInString;
      else if (isInString) {
        if (byte === backslash) hash = Math.imul(hash ^ (bytes[++at] ?? 0), hashFactor);
      } else if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) {
        this.hash = mixed(hash);
        return at + 1;
      }
    }
    return 0;
  }
}

/** A hash whose every bit depends on every bit of the given one. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return once ^ (once >>> 13);
}
