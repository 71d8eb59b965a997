// Ranges of sizes and costs, and the price list. Ranges saturate: what is unbounded stays unbounded however it is combined.

/** The least and the most of something: elements, characters, cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Prices, in units of about 50 ns of Kubernetes' time. */
export const price = {
  identOrSelect: 1,
  list: 10,
  map: 30,
  struct: 40,
  /** Per character walked over. */
  traversal: 0.1,
  /** Per character of a regular expression. */
  regex: 0.25,
} as const;

/** Kubernetes counts in 64 bits and stops there. */
const most = 2 ** 64;

/** Anything from nothing to all there can be. */
export const unknownSize: Range = { min: 0, max: most };
/** Exactly one. */
export const one: Range = { min: 1, max: 1 };
/** Exactly that many. */
export const fixed = (value: number): Range => ({ min: value, max: value });

const clamp = (value: number): number => Math.min(value, most);

/** Both, one after the other. */
export const add = (a: Range, b: Range): Range => ({ min: clamp(a.min + b.min), max: clamp(a.max + b.max) });

/** Zero times unbounded is zero. */
export const multiply = (a: Range, b: Range): Range => ({
  min: clamp(a.min * b.min),
  max: clamp(a.max * b.max),
});

/** Times a factor, rounded up. */
export const scale = (a: Range, factor: number): Range => ({
  min: clamp(Math.ceil(a.min * factor)),
  max: clamp(Math.ceil(a.max * factor)),
});

/** Either of the two. */
export const union = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** All of them, one after the other. */
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(add, fixed(0));

/** A value in a call, as far as it is known before evaluation. */
export interface CostNode {
  /** Its size: characters, bytes, elements, entries. */
  readonly size: Range;
  /** The size when it is really known, not assumed. */
  readonly computedSize: Range | undefined;
  readonly typeName: string;
  readonly typeKind: string;
  /** The sizes of a list's elements; absent for anything else. */
  readonly element?: { readonly size: Range; readonly isText: boolean } | undefined;
  /** The value of an int literal. */
  readonly literalInt?: number | undefined;
}

/** A call to be estimated. The target is absent for functions called by name. */
export interface CallSite {
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
}

/** The cost of a call without its arguments, and the size of what it returns. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range | undefined;
}
