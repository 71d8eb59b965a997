// Tokens of a document to nodes, a piece at a time.

import type { Steps } from "@kubewright/api/steps";
import { Composer, type CST, type YAMLMap, type YAMLParseError, type YAMLSeq } from "yaml";
import { type Cuts, cuttingSteps } from "./cut-tokens.js";
import { LongScalars } from "./long-scalars.js";

/** The nodes of a document, long collections in pieces. */
export class ComposedDocument {
  readonly contents: unknown;
  readonly longScalars: LongScalars;
  readonly #pieces: ReadonlyMap<unknown, readonly unknown[]>;

  constructor(contents: unknown, pieces: ReadonlyMap<unknown, readonly unknown[]>, longScalars: LongScalars) {
    this.contents = contents;
    this.longScalars = longScalars;
    this.#pieces = pieces;
  }

  /** The collection and what was cut off it, in order. */
  *partsOf<T extends YAMLMap | YAMLSeq>(collection: T): Iterable<T> {
    yield collection;
    // What is cut from a collection is a collection of the same type.
    for (const piece of this.#pieces.get(collection.srcToken) ?? []) yield piece as T;
  }
}

/** Composes the first document of the tokens, which are used up. `complain` makes an error of what the composer found first. */
export function* composingSteps(
  tokens: readonly CST.Token[],
  end: number,
  complain: (error: YAMLParseError) => Error,
  longScalars = new LongScalars(),
): Steps<ComposedDocument> {
  const cuts = yield* cuttingSteps(tokens, longScalars);
  const found: YAMLParseError[] = [];
  const directives = tokens.filter(({ type }) => type === "directive");
  const compose = (part: readonly CST.Token[]): unknown => composeFirst(part, end, found);
  const contents = compose(tokens);
  const pieces = yield* composePieces(cuts, (piece) => compose([...directives, piece]));
  const first = found.reduce<YAMLParseError | undefined>(earlier, undefined);
  if (first) throw complain(first);
  return new ComposedDocument(contents, pieces, longScalars);
}

function* composePieces(
  cuts: Cuts,
  compose: (piece: CST.Document) => unknown,
): Steps<ReadonlyMap<unknown, readonly unknown[]>> {
  const composed = new Map<unknown, unknown[]>();
  for (const [token, documents] of cuts) {
    const pieces: unknown[] = [];
    for (const document of documents) {
      yield;
      pieces.push(compose(document));
    }
    composed.set(token, pieces);
  }
  return composed;
}

const earlier = (a: YAMLParseError | undefined, b: YAMLParseError): YAMLParseError =>
  a && a.pos[0] <= b.pos[0] ? a : b;

/** The content of the first document. Whatever follows it is not looked at. */
function composeFirst(tokens: readonly CST.Token[], end: number, found: YAMLParseError[]): unknown {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, keepSourceTokens: true });
  // There may be thousands of errors, of which the first is told: none needs a stack, which takes most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const document of composer.compose(tokens, true, end)) {
      const [error] = document.errors;
      if (error) found.push(error);
      return document.contents;
    }
    return null;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
