// One field of a cron expression, as the sorted values it stands for.
import { ScheduleError } from "./schedule-error.js";

/** The range of a field. */
export interface FieldShape {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The end of `*` and `5/2`. Default: `most`. */
  readonly openEnd?: number | undefined;
  /** Words for values, the first for `least`. */
  readonly words?: readonly string[] | undefined;
}

/** A piece of an expression and where it begins. */
export interface Piece {
  readonly text: string;
  readonly position: number;
}

/** Cuts a text into pieces at a separator. */
export function pieces({ text, position }: Piece, separator: string): readonly Piece[] {
  let offset = position;
  return text.split(separator).map((part) => {
    const piece = { text: part, position: offset };
    offset += part.length + separator.length;
    return piece;
  });
}

/** Reads a list of values, ranges and steps: the values in order, each once. */
export function parseField(piece: Piece, shape: FieldShape): readonly number[] {
  const values = new Set<number>();
  for (const part of pieces(piece, ",")) for (const value of rangeOf(part, shape)) values.add(value);
  return [...values].sort((a, b) => a - b);
}

function rangeOf(piece: Piece, shape: FieldShape): readonly number[] {
  const [range = piece, step, extra] = pieces(piece, "/");
  if (extra) throw new ScheduleError(`${shape.name} "${piece.text}" has more than one step`, extra.position);
  const [first, last] = boundsOf(range, shape, step !== undefined);
  const by = step === undefined ? 1 : stepOf(step, shape);
  const values: number[] = [];
  for (let value = first; value <= last; value += by) values.push(value);
  return values;
}

function boundsOf(range: Piece, shape: FieldShape, hasStep: boolean): readonly [number, number] {
  const { openEnd = shape.most } = shape;
  if (range.text === "*" || range.text === "?") return [shape.least, openEnd];
  const [from = range, to, extra] = pieces(range, "-");
  if (extra) throw new ScheduleError(`${shape.name} "${range.text}" is no range`, extra.position);
  const first = readValue(from, shape);
  if (to === undefined) return [first, hasStep ? Math.max(first, openEnd) : first];
  const said = readValue(to, shape);
  // A week may end with its first day: MON-SUN.
  const last = said === shape.least && first > said && openEnd < shape.most ? shape.most : said;
  if (first <= last) return [first, last];
  throw new ScheduleError(
    `${shape.name} "${range.text}" ends before it begins; write it as two ranges`,
    range.position,
  );
}

function stepOf({ text, position }: Piece, { name, least, most }: FieldShape): number {
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  if (step >= 1 && step <= most - least + 1) return step;
  throw new ScheduleError(`${name}: "${text}" is no step; it can be from 1 to ${most - least + 1}`, position);
}

/** Reads one value: a number, or a word for one. */
export function readValue({ text, position }: Piece, { name, least, most, words = [] }: FieldShape): number {
  const word = words.indexOf(text.toLowerCase());
  const value = word === -1 ? (/^\d{1,4}$/.test(text) ? Number(text) : -1) : word + least;
  if (value >= least && value <= most) return value;
  const shown = text === "" ? "there is a value missing" : `"${text}" is not`;
  const what =
    words.length > 0 ? `${least} to ${most} or ${words[0]} to ${words.at(-1)}` : `${least} to ${most}`;
  throw new ScheduleError(`${name}: ${shown}${text === "" ? "," : ""} ${what}`, position);
}
