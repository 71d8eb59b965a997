// Thousands of cached objects repeat the same texts: images, time stamps, labels, owners. Decoding makes a new string for
// each; here they become one. Only what came by lately is remembered, so it is bounded however many texts there are.
import { mixed, RecentValues } from "./recent-values.js";

/** Shorter ones are shared by the JSON decoder itself. */
const minLength = 11;

/** Remembers recent strings. */
export class StringInterner {
  readonly #recent: RecentValues<string>;
  readonly #maxLength: number;

  /** Remembers 2 to the power of `bits`; longer texts are rarely alike and are left as they are. */
  constructor(bits: number, maxLength = 512) {
    this.#recent = new RecentValues(bits);
    this.#maxLength = maxLength;
  }

  /** The equal string that is known; undefined when none is. */
  find(text: string, hash: number): string | undefined {
    if (text.length < minLength || text.length > this.#maxLength) return undefined;
    const start = this.#recent.start(mixed(hash));
    const end = this.#recent.end(start);
    let place = start;
    for (; place < end; place++) {
      const known = this.#recent.at(place);
      if (known === undefined) break;
      if (known !== text) continue;
      this.#recent.found(place, start);
      return known;
    }
    this.#recent.notFound(text, place, start);
    return undefined;
  }

  /** An equal string, the same one for equal strings where possible. */
  intern(text: string): string {
    return this.find(text, hashText(text)) ?? text;
  }
}

/** Looks at a few characters only: most at the end, where names and time stamps differ, the others all over. */
export function hashText(text: string): number {
  const { length } = text;
  let hash = length;
  const tail = length > 8 ? length - 8 : 0;
  for (let index = tail; index < length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  const step = (tail >> 3) + 1;
  for (let index = 0; index < tail; index += step) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
