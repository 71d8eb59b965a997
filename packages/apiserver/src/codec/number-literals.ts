// JavaScript has one number type; Go tells `1` from `1.0` and keeps 64-bit integers. What the text of a body said is
// kept beside the value, for the few numbers where it matters.

/** The text of numbers that are not plain small integers, by the object or list that holds them and their key. */
export type NumberLiterals = ReadonlyMap<object, ReadonlyMap<string | number, string>>;
