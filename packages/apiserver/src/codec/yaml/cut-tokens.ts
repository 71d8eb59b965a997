// Composing what a parser has read into nodes is done at once by the library, however long it takes. So what is long is cut: the first
// items of a long collection stay in it, the others become pieces that are composed apart.

import type { Steps } from "@kubewright/api/steps";
import { CST } from "yaml";
import type { LongScalars } from "./long-scalars.js";

/** Tokens of a piece, about; composing so many takes two milliseconds. */
const pieceSize = 400;
/** Characters of a scalar that take as long as a token. */
const charactersOfToken = 200;

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/** The pieces of collections that were cut, in order and without what stayed in them. */
export type Cuts = ReadonlyMap<unknown, readonly CST.Document[]>;

/** Cuts what is long in a document; the tokens are changed. */
export function* cuttingSteps(tokens: readonly CST.Token[], long: LongScalars): Steps<Cuts> {
  const cuts = new Map<unknown, CST.Document[]>();
  for (const token of tokens) {
    if (token.type !== "document") continue;
    // Where there are directives, documents need the marker that ends them.
    const start = token.start.filter(({ type }) => type === "doc-start");
    yield* new Cutter(start, cuts, long).weigh(token.value);
  }
  return cuts;
}

class Cutter {
  readonly #start: CST.SourceToken[];
  readonly #cuts: Map<unknown, CST.Document[]>;
  readonly #long: LongScalars;
  #seen = 0;

  constructor(start: CST.SourceToken[], cuts: Map<unknown, CST.Document[]>, long: LongScalars) {
    this.#start = start;
    this.#cuts = cuts;
    this.#long = long;
  }

  /** How many tokens are left in it once it is cut. */
  *weigh(token: CST.Token | null | undefined): Steps<number> {
    if (++this.#seen % 2_000 === 0) yield;
    if (CST.isScalar(token)) {
      this.#long.shorten(token);
      return 1 + token.source.length / charactersOfToken;
    }
    if (!CST.isCollection(token)) return 1;
    const starts: number[] = [];
    let first = 0;
    let weight = 1;
    const { count } = this.#long;
    for (const [index, item] of token.items.entries()) {
      if (this.#long.count > count && token.type === "block-map") sayWhere(item);
      if (weight > pieceSize && canStartPiece(token, item)) {
        if (starts.length === 0) first = weight;
        starts.push(index);
        weight = 1;
      }
      weight += (yield* this.weigh(item.key)) + (yield* this.weigh(item.value));
    }
    if (starts.length === 0) return weight;
    this.#cuts.set(token, piecesOf(token, starts, this.#start));
    token.items.length = starts[0] ?? 0;
    return first;
  }
}

/** Where a key begins is taken from where the value before it ends, unless something stands between; that has become shorter. */
function sayWhere({ start, key }: CST.CollectionItem): void {
  if (start.length === 0 && key) start.push({ type: "space", offset: key.offset, indent: 0, source: "" });
}

/** A flow collection that is not closed is complained about as a whole; and its items need the comma before them. */
function canStartPiece(token: Collection, item: CST.CollectionItem): boolean {
  if (token.type !== "flow-collection") return true;
  const closing = token.start.source === "{" ? "}" : "]";
  return token.end[0]?.source === closing && item.start.some(isComma);
}

const isComma = ({ type }: CST.SourceToken): boolean => type === "comma";

function piecesOf(token: Collection, starts: readonly number[], before: CST.SourceToken[]): CST.Document[] {
  return starts.map((start, index) => {
    const piece = part(token, start, starts[index + 1]);
    return { type: "document", offset: piece.offset, start: before, value: piece };
  });
}

function part(token: Collection, start: number, end: number | undefined): Collection {
  const first = token.items[start];
  const offset = offsetOf(first) ?? token.offset;
  switch (token.type) {
    case "block-map":
      return { ...token, offset, items: token.items.slice(start, end) };
    case "block-seq":
      return { ...token, offset, items: token.items.slice(start, end) };
    case "flow-collection": {
      const [opening, ...others] = token.items.slice(start, end);
      const withoutComma = opening ? [{ ...opening, start: opening.start.filter((at) => !isComma(at)) }] : [];
      return { ...token, offset, items: [...withoutComma, ...others] };
    }
  }
}

/** Where an item begins, for complaints about it. */
function offsetOf(item: CST.CollectionItem | undefined): number | undefined {
  return item?.start[0]?.offset ?? item?.key?.offset ?? item?.value?.offset;
}
