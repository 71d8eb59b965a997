import { sizeOfJson } from "../../storage/freeze-sized.js";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { countKeys } from "./json-inspection.js";
import { type LongContainer, outlineSteps, type Piece } from "./json-outline.js";
import { type ScannedJson, scanningSteps, setOwn } from "./json-scanner.js";
import { leaveKeys } from "./listed-keys.js";
import { parseJson } from "./parse-json.js";

/** Bytes that take less than a millisecond to parse, whatever they hold. */
const defaultPieceSize = 16 * 1024;

/** As `parseJson`, step by step. */
export function jsonSteps(
  bytes: Uint8Array,
  reportDuplicates: boolean,
  pieceSize = defaultPieceSize,
): ScannedJson {
  if (bytes.length <= pieceSize) return parseJson(bytes, reportDuplicates);
  const outline = outlineSteps(bytes, pieceSize);

  if (!outline) return scanningSteps(bytes);
  const parser = new PieceParser(bytes);
  try {
    const value = parser.container(outline.root);
    if (!reportDuplicates || parser.keys === outline.keys)
      return { value, duplicateFields: [], literals: undefined, size: sizeIn(parser, outline.keys) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }

  return scanningSteps(bytes);
}

/** With keys that stood twice, some of what was added up is no part of the value. */
const sizeIn = ({ keys, size }: PieceParser, written: number): number | undefined =>
  keys === written ? size : undefined;

/** Throws SyntaxError for what is no JSON. */
class PieceParser {
  /** Different keys seen, object by object. */
  keys = 0;
  /** Of all pieces. */
  size = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  container(container: LongContainer): MutableJson {
    return container.isList ? this.#list(container) : this.#object(container);
  }

  #list({ pieces }: LongContainer): MutableJson[] {
    const list: MutableJson[] = [];
    for (const piece of pieces) {
      if (piece.long) {
        this.#text(piece.from, piece.long.start, "");
        list.push(this.container(piece.long));
        continue;
      }
      const items: MutableJson[] = JSON.parse(`[${this.#text(piece.from, piece.to)}]`);
      this.keys += countKeys(items);
      this.size += sizeOfJson(items);
      for (const item of items) list.push(item);
    }
    return list;
  }

  #object({ pieces }: LongContainer): MutableObject {
    const object: MutableObject = {};
    const keys: string[] = [];
    for (const piece of pieces) {
      if (piece.long) {
        const key = this.#keyOf(piece, piece.long);
        this.#set(object, key, this.container(piece.long), keys);
        this.keys++;
        continue;
      }
      const members: MutableObject = JSON.parse(`{${this.#text(piece.from, piece.to)}}`);
      this.keys += countKeys(members);
      this.size += sizeOfJson(members);
      for (const key of Object.keys(members)) this.#set(object, key, members[key] ?? null, keys);
    }
    leaveKeys(object, keys);
    return object;
  }

  #set(object: MutableObject, key: string, value: MutableJson, keys: string[]): void {
    if (Object.hasOwn(object, key)) this.keys--;
    else keys.push(key);
    setOwn(object, key, value);
  }

  #keyOf({ from }: Piece, { start }: LongContainer): string {
    const text = this.#text(from, start).trimEnd();
    if (!text.endsWith(":")) throw new SyntaxError("a key is missing");
    const key: unknown = JSON.parse(text.slice(0, -1));
    if (typeof key !== "string") throw new SyntaxError("a key is no string");
    return key;
  }

  /** Pieces are never blank, other than between the brackets of what is empty; nobody sends that much of nothing. */
  #text(from: number, to: number, expected?: ""): string {
    const text = this.#bytes.toString("utf8", from, to);
    if ((text.trim() === "") !== (expected === "")) throw new SyntaxError("a comma or value is misplaced");
    return text;
  }
}
