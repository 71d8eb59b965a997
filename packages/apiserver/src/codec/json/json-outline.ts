import { endOfNumber, endOfString, maxDepth } from "./json-inspection.js";

/** A container too long to be parsed at once. */
export interface LongContainer {
  /** Where its bracket opens. */
  readonly start: number;
  readonly isList: boolean;
  readonly pieces: readonly Piece[];
}

/** Members that stand next to each other, without the commas at either end. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  /** The value of the only member, if that is long. */
  readonly long?: LongContainer | undefined;
}

export interface JsonOutline {
  readonly root: LongContainer;
  /** Keys of all objects, duplicates included. */
  readonly keys: number;
}

/** A container that is still open. */
interface OpenContainer {
  readonly start: number;
  readonly isList: boolean;
  pieces: Piece[] | undefined;
  /** Where the piece began that is being collected; undefined right after a long member. */
  pieceFrom: number | undefined;
  memberFrom: number;
}

const aString = 1;
const aNumber = 2;
const aKey = 3;
const aComma = 4;
const anOpening = 5;
const aClosing = 6;

/** What a byte begins or ends; 0 for what needs no look. */
const meaning = new Uint8Array(256);
for (const [bytes, what] of [
  ['"', aString],
  ["-0123456789", aNumber],
  [":", aKey],
  [",", aComma],
  ["{[", anOpening],
  ["}]", aClosing],
] as const) {
  for (const byte of bytes) meaning[byte.charCodeAt(0)] = what;
}

const openList = 0x5b;
const closeList = 0x5d;
/** Bytes looked at in less than a millisecond. */
const stride = 64 * 1024;

/**
 * Looks a long text over, step by step. Undefined when it cannot be parsed in pieces without losing something or when it is broken; what
 * has an outline may still turn out to be broken.
 */
export function outlineSteps(bytes: Uint8Array, pieceSize: number): JsonOutline | undefined {
  const outliner = new Outliner(bytes, pieceSize);
  let pause = stride;
  for (let at = 0; at < bytes.length && !outliner.root; ) {
    if (at > pause) {
      pause = at + stride;
    }
    const what = meaning[bytes[at++] ?? 0] ?? 0;
    if (what === aString || what === aNumber) {
      at = what === aString ? endOfString(bytes, at) : endOfNumber(bytes, at);
      if (at < 0) return undefined;
    } else if (what !== 0 && !outliner.take(what, at - 1)) return undefined;
  }
  const { root, keys } = outliner;
  return root && { root, keys };
}

/** The containers that are open at some place, and what was found so far. */
class Outliner {
  keys = 0;
  root: LongContainer | undefined;
  readonly #bytes: Uint8Array;
  readonly #pieceSize: number;
  readonly #open: OpenContainer[] = [];

  constructor(bytes: Uint8Array, pieceSize: number) {
    this.#bytes = bytes;
    this.#pieceSize = pieceSize;
  }

  /** Takes note of punctuation; false where it cannot stand. */
  take(what: number, at: number): boolean {
    if (what === aKey) this.keys++;
    else if (what === aComma) return this.#endMember(at);
    else if (what === aClosing) return this.#close(at);
    else if (this.#open.length >= maxDepth) return false;
    else {
      const isList = this.#bytes[at] === openList;
      this.#open.push({ start: at, isList, pieces: undefined, pieceFrom: at + 1, memberFrom: at + 1 });
    }
    return true;
  }

  #endMember(at: number): boolean {
    const holder = this.#open.at(-1);
    if (!holder) return false;
    const { pieceFrom } = holder;
    holder.memberFrom = at + 1;
    if (pieceFrom === undefined) {
      holder.pieceFrom = at + 1;
      return isBlank(this.#bytes, lastEnd(holder), at);
    }
    if (at - pieceFrom > this.#pieceSize) {
      holder.pieces ??= [];
      holder.pieces.push({ from: pieceFrom, to: at });
      holder.pieceFrom = at + 1;
    }
    return true;
  }

  #close(at: number): boolean {
    const closed = this.#open.pop();
    if (closed?.isList !== (this.#bytes[at] === closeList)) return false;
    if (closed.pieceFrom === undefined && !isBlank(this.#bytes, lastEnd(closed), at)) return false;
    const holder = this.#open.at(-1);
    if (!holder) {
      this.root = longContainer(closed, at);
      return isBlank(this.#bytes, 0, closed.start) && isBlank(this.#bytes, at + 1, this.#bytes.length);
    }
    if (at - closed.start > this.#pieceSize) addLong(holder, longContainer(closed, at), at + 1);
    return true;
  }
}

function addLong(holder: OpenContainer, long: LongContainer, to: number): void {
  holder.pieces ??= [];
  const { pieceFrom, memberFrom, pieces } = holder;
  if (pieceFrom !== undefined && memberFrom > pieceFrom) pieces.push({ from: pieceFrom, to: memberFrom - 1 });
  pieces.push({ from: memberFrom, to, long });
  holder.pieceFrom = undefined;
}

function longContainer({ start, isList, pieces = [], pieceFrom }: OpenContainer, end: number): LongContainer {
  if (pieceFrom !== undefined) pieces.push({ from: pieceFrom, to: end });
  return { start, isList, pieces };
}

const lastEnd = ({ pieces, start }: OpenContainer): number => pieces?.at(-1)?.to ?? start + 1;

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isSpace(bytes[at] ?? 0)) return false;
  return true;
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
