// Long values are encoded a slice at a time, so that whoever sends them can serve others in between. As plain JSON, lists of many
// objects are long; the largest object there can be takes a few milliseconds, less than looking into it would. What is for people,
// indented or as YAML, takes far longer: there an object is long with a great many fields or items anywhere in it.
import { yamlText } from "./encode.js";
import { isObject } from "./mutable-json.js";

/** Characters of a slice, about: half a millisecond of work for JSON, two for YAML. */
const jsonSlice = 128 * 1024;
const yamlSlice = 16 * 1024;
/** Shorter lists are encoded in one go. */
const longFrom = 100;
/** Values that take so long. */
const prettyValues = 2_000;
const yamlValues = 200;

/** Whether a value takes long to encode as plain JSON: it has a long list right inside. */
export function isLong(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name in value) if (isLongList(value[name])) return true;
  return false;
}

const isLongList = (field: unknown): field is readonly unknown[] =>
  Array.isArray(field) && field.length >= longFrom;

/** Whether it does indented. Looks no further than it must. */
export const isLongPretty = (value: unknown): boolean => holdsMore(value, prettyValues);

/** Whether it does as YAML, which takes ten times as long. */
export const isLongYaml = (value: unknown): boolean => holdsMore(value, yamlValues);

function holdsMore(root: unknown, limit: number): boolean {
  if (typeof root !== "object" || root === null) return false;
  const open: object[] = [root];
  let left = limit;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    left -= Array.isArray(next) ? openItems(next, left, open) : openFields(next, left, open);
    if (left < 0) return true;
  }
  return false;
}

/** How many items there are; those that hold more are opened, unless there are too many already. */
function openItems(list: readonly unknown[], most: number, open: object[]): number {
  if (list.length > most) return list.length;
  for (const item of list) if (typeof item === "object" && item !== null) open.push(item);
  return list.length;
}

function openFields(object: object, most: number, open: object[]): number {
  const fields = object as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const name in fields) {
    if (++count > most) break;
    const field = fields[name];
    if (typeof field === "object" && field !== null) open.push(field);
  }
  return count;
}

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

/** The text that waits to become a slice. */
class SliceWriter {
  text = "";
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.text.length >= this.#size;
  }

  take(): string {
    const { text } = this;
    this.text = "";
    return text;
  }
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
  yield* prettyParts(value, "", written);
  yield written.text;
}

function* prettyParts(value: unknown, margin: string, written: SliceWriter): Iterable<string> {
  if (!isLongPretty(value)) {
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
    yield* prettyParts(member, inner, written);
    if (written.isFull) yield written.take();
  }
  written.text += `\n${margin}${isList ? "]" : "}"}`;
}

/** The same as YAML, keys sorted. */
export function* yamlSlices(value: unknown): Iterable<string> {
  const written = new SliceWriter(yamlSlice);
  yield* yamlParts(value, "", written);
  yield written.text;
}

/** Every part is whole lines. Lists stand no deeper than the key they belong to. */
function* yamlParts(value: unknown, margin: string, written: SliceWriter): Iterable<string> {
  if (!isLongYaml(value)) written.text += indented(yamlText(value), margin);
  else if (Array.isArray(value)) yield* yamlItems(value, margin, written);
  else yield* yamlFields(value, margin, written);
}

function* yamlItems(list: readonly unknown[], margin: string, written: SliceWriter): Iterable<string> {
  for (const item of list) {
    if (isLongYaml(item)) {
      // The first line of the item stands behind the dash.
      const inner = new SliceWriter(yamlSlice);
      let dash = `${margin}- `;
      for (const part of yamlParts(item, `${margin}  `, inner)) {
        written.text += dash + part.slice(dash.length);
        dash = "";
        if (written.isFull) yield written.take();
      }
      written.text += dash + inner.text.slice(dash.length);
    } else written.text += indented(yamlText([item]), margin);
    if (written.isFull) yield written.take();
  }
}

function* yamlFields(value: unknown, margin: string, written: SliceWriter): Iterable<string> {
  const fields = [...membersOf(value)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, field] of fields) {
    if (isLongYaml(field)) {
      written.text += indented(yamlText({ [name]: null }).replace(/ null\n$/, "\n"), margin);
      yield* yamlParts(field, Array.isArray(field) ? margin : `${margin}  `, written);
    } else written.text += indented(yamlText({ [name]: field }), margin);
    if (written.isFull) yield written.take();
  }
}

/** Lines that are empty stay so: they are inside of texts. */
const indented = (text: string, margin: string): string =>
  margin === "" ? text : text.replace(/^(?=.)/gm, margin);
