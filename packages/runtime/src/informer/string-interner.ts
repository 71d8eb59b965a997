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
    const start = this.#recent.start(hash);
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

/** Short texts are looked at whole; of long ones the end, where names and time stamps differ, and a few in between. */
export function hashText(text: string): number {
  const { length } = text;
  let hash = length;
  const end = length <= 16 ? 0 : length - 8;
  for (let index = end; index < length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  if (end > 0) {
    const step = length >> 3;
    for (let index = 0; index < end; index += step) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  }
  return mixed(hash);
}
