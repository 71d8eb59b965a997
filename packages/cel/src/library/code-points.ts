// Texts counted and cut by code points, as CEL does. Most texts hold no surrogates; then JavaScript's own indices are right.
import type { Meter } from "../values/meter.js";

const surrogate = /[\ud800-\udfff]/;

/** The characters of a text. */
export function codePointLength(text: string, meter: Meter): number {
  if (text.length < 2) return text.length;
  meter.walk(text);
  if (!surrogate.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** A text that can be indexed by character. */
export interface Characters {
  readonly length: number;
  slice(start: number, end: number): string;
}

/** The text itself, or its code points where they differ from its units. */
export function characters(text: string, meter: Meter): Characters {
  meter.walk(text);
  if (!surrogate.test(text)) return text;
  meter.work(text.length);
  const points = [...text];
  return { length: points.length, slice: (start, end) => points.slice(start, end).join("") };
}

/** Turns an index in units into one in characters. */
export function characterIndex(text: string, unit: number, meter: Meter): number {
  return unit < 0 ? -1 : codePointLength(text.slice(0, unit), meter);
}

/** Turns an index in characters into one in units. */
export function unitIndex(text: string, character: number, meter: Meter): number {
  meter.walk(text);
  if (!surrogate.test(text)) return character;
  return [...text].slice(0, character).join("").length;
}
