// Long values are encoded a slice at a time, so that whoever sends them can serve others in between: those with a great many fields or
// items anywhere in them. Where a slice is empty there is nothing to send, but it took long to come so far.
import { isLarge } from "../storage/freeze-sized.js";
import { LongValues } from "./count-values.js";
import { isObject } from "./mutable-json.js";
import { SliceWriter } from "./slice-writer.js";

/** Characters of a slice, about: half a millisecond of work. */
const jsonSlice = 128 * 1024;
/** Values that take long, in plain JSON and indented. */
const jsonValues = 4_000;
const prettyValues = 2_000;
/** Items of a list that may well be. */
const longList = 100;

/** Whether an object has a long list right inside. */
export function hasLongList(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name in value) if (isLongList(value[name])) return true;
  return false;
}

const isLongList = (field: unknown): boolean => Array.isArray(field) && field.length >= longList;

/** Whether a value takes long to encode as plain JSON. Looks no further than it must, and not at all into what is stored. */
export function isLong(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (!Object.isExtensible(value)) return isLarge(value);
  return hasLongList(value) || longValues(value).isLong(value);
}

/** Lists and tables are made of what is stored. */
const longValues = (value: unknown): LongValues =>
  new LongValues(
    jsonValues,
    isObject(value) && (Array.isArray(value["items"]) || Array.isArray(value["rows"])),
  );

/** Whether it does indented. */
export const isLongPretty = (value: unknown): boolean => new LongValues(prettyValues).isLong(value);

/** How JSON is made. */
interface JsonForm {
  /** Of short values. */
  readonly encode?: ((value: unknown) => string | undefined) | undefined;
  /** For those who know the keys of objects without listing them. */
  readonly keysOf?: ((object: object) => readonly string[]) | undefined;
}

interface WholeForm {
  readonly encode: NonNullable<JsonForm["encode"]>;
  readonly keysOf: NonNullable<JsonForm["keysOf"]>;
}

/** What `JSON.stringify` makes of a value and a line feed, in slices of about the same size. */
export function* jsonSlices(
  value: unknown,
  known = longValues(value),
  { encode = JSON.stringify, keysOf = Object.keys }: JsonForm = {},
): Iterable<string> {
  const written = new SliceWriter(jsonSlice);
  const form = { encode, keysOf };
  yield* jsonParts(value, written, known, form, hasLongList(value) || known.isLong(value));
  yield `${written.text}\n`;
}

function* jsonParts(
  value: unknown,
  written: SliceWriter,
  known: LongValues,
  form: WholeForm,
  isLong = isLongList(value) || known.isLong(value),
): Iterable<string> {
  const { encode, keysOf } = form;
  if (!isLong) {
    written.text += encode(value) ?? "null";
    return;
  }
  yield "";
  const isList = Array.isArray(value);
  const names = namesIn(value, keysOf);
  if (names.length > fewNames) yield "";
  let before = isList ? "[" : "{";
  for (const [name, member] of membersOf(value, names)) {
    written.text += isList ? before : `${before}${encode(name)}:`;
    before = ",";
    if (typeof member !== "object") written.text += encode(member) ?? "null";
    else yield* jsonParts(member, written, known, form);
    if (written.isFull) yield written.take();
  }
  written.text += (before === "," ? "" : before) + (isList ? "]" : "}");
}

/** Names that are listed in less than a millisecond. */
const fewNames = 2_000;

/** The names of fields; items have none that matter. */
const namesIn = (value: unknown, keysOf: WholeForm["keysOf"] = Object.keys): readonly string[] =>
  isObject(value) ? keysOf(value) : [];

function* membersOf(value: unknown, names: readonly string[]): Iterable<readonly [string, unknown]> {
  if (Array.isArray(value)) for (const item of value) yield ["", item];
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of names) {
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
  yield "";
  const isList = Array.isArray(value);
  const names = namesIn(value);
  if (names.length > fewNames) yield "";
  const inner = `${margin}  `;
  let before = isList ? "[" : "{";
  for (const [name, member] of membersOf(value, names)) {
    written.text += isList ? `${before}\n${inner}` : `${before}\n${inner}${JSON.stringify(name)}: `;
    before = ",";
    yield* prettyParts(member, inner, written, known);
    if (written.isFull) yield written.take();
  }
  written.text += `\n${margin}${isList ? "]" : "}"}`;
}
