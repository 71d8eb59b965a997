// Long lists are encoded a slice at a time, so that whoever sends them can serve others in between.
import { yamlText } from "./encode.js";
import { isObject } from "./mutable-json.js";

/** Shorter lists are encoded in one go. */
const longFrom = 100;
/** Characters of a slice, about: half a millisecond of work for JSON, two for YAML. */
const jsonSlice = 128 * 1024;
const yamlSlice = 16 * 1024;

/** The name of the longest list right inside an object; undefined when it has none that is long. */
export function longListOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  let longest: string | undefined;
  let length = longFrom - 1;
  for (const name in value) {
    const field = value[name];
    if (!Array.isArray(field) || field.length <= length) continue;
    longest = name;
    length = field.length;
  }
  return longest;
}

/** What `JSON.stringify` makes of the object and a line feed, in slices of about the same size. */
export function* jsonSlices(value: object, listName: string): Iterable<string> {
  let text = "{";
  let separator = "";
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ",";
    if (name !== listName) text += JSON.stringify(field);
    else {
      let before = "[";
      for (const item of field) {
        text += before + JSON.stringify(item);
        before = ",";
        if (text.length < jsonSlice) continue;
        yield text;
        text = "";
      }
      text += "]";
    }
  }
  yield `${text}}\n`;
}

/** The same, indented by two spaces. */
export function* prettyJsonSlices(value: object, listName: string): Iterable<string> {
  let text = "{";
  let separator = "\n  ";
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    text += `${separator}${JSON.stringify(name)}: `;
    separator = ",\n  ";
    if (name !== listName) text += indented(field, "  ");
    else {
      let before = "[\n    ";
      for (const item of field) {
        text += before + indented(item, "    ");
        before = ",\n    ";
        if (text.length < jsonSlice) continue;
        yield text;
        text = "";
      }
      text += "\n  ]";
    }
  }
  yield `${text}\n}`;
}

/** Line feeds of JSON are all between its tokens. */
const indented = (value: unknown, margin: string): string =>
  JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${margin}`);

/** The same as YAML, keys sorted. */
export function* yamlSlices(value: object, listName: string): Iterable<string> {
  let text = "";
  for (const [name, field] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (field === undefined) continue;
    if (name !== listName) text += yamlText({ [name]: field });
    else {
      text += `${name}:\n`;
      for (const item of field) {
        text += yamlText([item]);
        if (text.length < yamlSlice) continue;
        yield text;
        text = "";
      }
    }
  }
  yield text;
}
