// Long values are encoded a slice at a time, so that whoever sends them can serve others in between. As plain JSON, lists of many
// objects are long; the largest object there can be takes a few milliseconds, less than looking into it would. Indented JSON takes
// far longer: there an object is long with a great many fields or items anywhere in it.
import { LongValues } from "./count-values.js";
import { isObject } from "./mutable-json.js";
import { SliceWriter } from "./slice-writer.js";

/** Characters of a slice, about: half a millisecond of work. */
const jsonSlice = 128 * 1024;
/** Shorter lists are encoded in one go. */
const longFrom = 100;
/** Values that take long when they are indented. */
const prettyValues = 2_000;

/** Whether a value takes long to encode as plain JSON: it has a long list right inside. */
export function isLong(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name in value) if (isLongList(value[name])) return true;
  return false;
}

const isLongList = (field: unknown): field is readonly unknown[] =>
  Array.isArray(field) && field.length >= longFrom;

/** Whether it does indented. Looks no further than it must. */
export const isLongPretty = (value: unknown): boolean => new LongValues(prettyValues).isLong(value);

/** What `JSON.stringify` makes of an object with long lists and a line feed, in slices of about the same size. */
export function* jsonSlices(value: unknown): Iterable<string> {
  const written = new SliceWriter(jsonSlice);
  let separator = "{";
  for (const [name, field] of membersOf(value)) {
    written.text += `${separator}${JSON.stringify(name)}:`;
    separator = ",";
    if (isLongList(field)) yield* itemSlices(field, written);
    else written.text += JSON.stringify(field);
  }
  yield `${written.text}}\n`;
}

function* itemSlices(items: readonly unknown[], written: SliceWriter): Iterable<string> {
  let before = "[";
  for (const item of items) {
    written.text += before + (JSON.stringify(item) ?? "null");
    before = ",";
    if (written.isFull) yield written.take();
  }
  written.text += "]";
}

/** Names and members; those of lists have none that matter. */
function* membersOf(value: unknown): Iterable<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    for (const item of value) yield ["", item];
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field !== undefined) yield [name, field];
  }
}

/** The same, indented by two spaces and without the line feed. */
export function* prettyJsonSlices(value: unknown): Iterable<string> {
  const written = new SliceWriter(jsonSlice);
  yield* prettyParts(value, "", written, new LongValues(prettyValues));
  yield written.text;
}

function* prettyParts(
  value: unknown,
  margin: string,
  written: SliceWriter,
  known: LongValues,
): Iterable<string> {
  if (!known.isLong(value)) {
    // Line feeds of JSON are all between its tokens.
    written.text += (JSON.stringify(value, undefined, 2) ?? "null").replaceAll("\n", `\n${margin}`);
    return;
  }
  const isList = Array.isArray(value);
  const inner = `${margin}  `;
  let before = isList ? "[" : "{";
  for (const [name, member] of membersOf(value)) {
    written.text += isList ? `${before}\n${inner}` : `${before}\n${inner}${JSON.stringify(name)}: `;
    before = ",";
    yield* prettyParts(member, inner, written, known);
    if (written.isFull) yield written.take();
  }
  written.text += `\n${margin}${isList ? "]" : "}"}`;
}
