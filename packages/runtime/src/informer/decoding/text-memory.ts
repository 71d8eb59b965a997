// Remembers values by the bytes they were decoded from, so that what comes again need not be decoded again and is held
// once, however many objects contain it. This is where most of the time and the memory of a cache is saved.
//
// Guarantees
// - Equal bytes, equal value: bytes are compared, a hash only says where to look.
// - Values that are handed out are frozen: code that mutates one fails at once, and changes no other object.
// - What is remembered is bounded, however much passes by. What comes once leaves a number behind; what comes a second time
//   is remembered, and stays for as long as it keeps coming.
import { deepFreeze } from "@kubewright/api";

/** Values that share a bucket; the first is the one that came most. */
const bucketSize = 4;
/** Shorter texts are compared byte by byte: calling out costs more. */
const shortText = 48;

export interface TextMemoryOptions {
  /** The number of values that are remembered, as a power of two. */
  readonly bits?: number | undefined;
  /** The number of bytes of text that are remembered. */
  readonly bytes?: number | undefined;
}

export class TextMemory {
  /** Texts one after the other, the oldest overwritten by the newest. */
  readonly #texts: Buffer;
  /** Bytes ever written there. */
  #written = 0;
  readonly #values: unknown[];
  readonly #hashes: Int32Array;
  readonly #lengths: Int32Array;
  /** The offset at which each text was written, counted as `#written` is. */
  readonly #starts: Float64Array;
  /** Hashes of what came once. */
  readonly #seen: Int32Array;
  readonly #mask: number;

  constructor({ bits = 12, bytes = 512 * 1024 }: TextMemoryOptions = {}) {
    const size = 2 ** bits;
    this.#texts = Buffer.alloc(bytes);
    this.#values = new Array<unknown>(size).fill(undefined);
    this.#hashes = new Int32Array(size);
    this.#lengths = new Int32Array(size);
    this.#starts = new Float64Array(size);
    this.#seen = new Int32Array(4 * size);
    this.#mask = size - bucketSize;
  }

  /** The index of the value of this text; -1 when it is not remembered. */
  find(source: Buffer, start: number, end: number, hash: number): number {
    const length = end - start;
    const first = hash & this.#mask;
    for (let place = first; place < first + bucketSize; place++) {
      if (this.#hashes[place] !== hash || this.#lengths[place] !== length) continue;
      if (!this.#holds(place, source, start, end)) continue;
      this.#refresh(place, source, start, end);
      if (place === first) return place;
      this.#swap(place, place - 1);
      return place - 1;
    }
    return -1;
  }

  valueAt(place: number): unknown {
    return this.#values[place];
  }

  /** The same for what is known to be a string. */
  textAt(place: number): string {
    return this.#values[place] as string;
  }

  /** The length of the text at this index, if it equals the source; 0 if not. */
  lengthAt(place: number, source: Buffer, start: number): number {
    const length = this.#lengths[place] ?? 0;
    const end = start + length;
    if (end > source.length || !this.#holds(place, source, start, end)) return 0;
    this.#refresh(place, source, start, end);
    return length;
  }

  /** Remembers a value, if its text came before. */
  keep(source: Buffer, start: number, end: number, hash: number, value: unknown): void {
    const door = hash & (this.#seen.length - 1);
    if (this.#seen[door] !== hash) {
      this.#seen[door] = hash;
      return;
    }
    let place = hash & this.#mask;
    const last = place + bucketSize - 1;
    while (place < last && this.#lengths[place] !== 0) place++;
    this.#values[place] = deepFreeze(value);
    this.#hashes[place] = hash;
    this.#lengths[place] = end - start;
    this.#starts[place] = this.#write(source, start, end);
  }

  #holds(place: number, source: Buffer, start: number, end: number): boolean {
    const written = this.#starts[place] ?? 0;
    const texts = this.#texts;
    if (this.#written - written > texts.length) return false;
    const from = written % texts.length;
    const length = end - start;
    if (length > shortText) return texts.compare(source, start, end, from, from + length) === 0;
    for (let at = 0; at < length; at++) if (texts[from + at] !== source[start + at]) return false;
    return true;
  }

  /** One that keeps coming is written anew before it would be overwritten. */
  #refresh(place: number, source: Buffer, start: number, end: number): void {
    if (this.#written - (this.#starts[place] ?? 0) > this.#texts.length / 2)
      this.#starts[place] = this.#write(source, start, end);
  }

  /** Returns where it is. A text is never cut in two. */
  #write(source: Buffer, start: number, end: number): number {
    const { length } = this.#texts;
    const left = length - (this.#written % length);
    if (end - start > left) this.#written += left;
    const at = this.#written;
    const to = at % length;
    if (end - start > shortText) source.copy(this.#texts, to, start, end);
    else for (let from = start; from < end; from++) this.#texts[to + from - start] = source[from] ?? 0;
    this.#written += end - start;
    return at;
  }

  #swap(one: number, other: number): void {
    swap(this.#values, one, other);
    swap(this.#hashes, one, other);
    swap(this.#lengths, one, other);
    swap(this.#starts, one, other);
  }
}

function swap<T>(list: { [place: number]: T }, one: number, other: number): void {
  const value = list[one] as T;
  list[one] = list[other] as T;
  list[other] = value;
}
