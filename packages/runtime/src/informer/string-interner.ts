// Thousands of cached objects repeat the same texts: images, time stamps, labels, owners. Decoding makes a new string for
// each; here they become one. It remembers only what came by lately, so it is bounded however many texts there are.

/** Shorter ones are shared by the JSON decoder itself. */
const minLength = 11;

/** A table of recent strings, two to a slot: the newer one must be seen again to outlive the next. */
export class StringInterner {
  readonly #slots: string[];
  readonly #mask: number;
  readonly #maxLength: number;

  /** Remembers up to 2 to the power of `bits`; longer texts are rarely alike and are left as they are. */
  constructor(bits = 13, maxLength = 512) {
    this.#maxLength = maxLength;
    this.#slots = new Array<string>(2 ** bits).fill("");
    this.#mask = 2 ** bits - 2;
  }

  /** An equal string, the same one for equal strings where possible. */
  intern(text: string): string {
    const { length } = text;
    if (length < minLength || length > this.#maxLength) return text;
    const slot = hash(text, length) & this.#mask;
    const first = this.#slots[slot] ?? "";
    if (first === text) return first;
    const second = this.#slots[slot + 1] ?? "";
    if (second !== text) {
      this.#slots[slot + 1] = text;
      return text;
    }
    this.#slots[slot] = second;
    this.#slots[slot + 1] = first;
    return second;
  }

  /** Whether a text is remembered. */
  holds(text: string): boolean {
    const slot = hash(text, text.length) & this.#mask;
    return this.#slots[slot] === text || this.#slots[slot + 1] === text;
  }

  /** Replaces every string value inside a JSON value that nobody else holds. Keys are shared by the decoder. */
  internAll(value: object): void {
    const open: object[] = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (Array.isArray(next)) this.#internItems(next, open);
      else if (isFields(next)) this.#internFields(next, open);
    }
  }

  #internItems(items: unknown[], open: object[]): void {
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (typeof item === "string") items[index] = this.intern(item);
      else if (typeof item === "object" && item !== null) open.push(item);
    }
  }

  #internFields(fields: Fields, open: object[]): void {
    for (const name in fields) {
      const value = fields[name];
      if (typeof value === "string") {
        // Equal strings cannot be told apart, so the shared one is written in any case.
        if (value.length >= minLength) fields[name] = this.intern(value);
      } else if (typeof value === "object" && value !== null) open.push(value);
    }
  }
}

interface Fields {
  [name: string]: unknown;
}

function isFields(value: object): value is Fields {
  return !Array.isArray(value);
}

/** Looks at a few characters only: time stamps and names differ at the end, images in the middle. */
function hash(text: string, length: number): number {
  const end =
    (text.charCodeAt(length - 1) * 31 + text.charCodeAt(length - 2)) * 31 + text.charCodeAt(length - 4);
  return (end * 31 + text.charCodeAt(length >> 1)) * 62 + text.charCodeAt(0) * 14 + length * 2;
}
