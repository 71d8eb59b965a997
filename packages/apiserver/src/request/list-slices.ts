// Answers with many items (lists, tables) are encoded a slice at a time, so that the server yields to the event loop in between.

import { isObject, stringifyJson } from "@kubewright/api";
import { encodeYaml } from "@kubewright/machinery";
import { longFrom, MappedList } from "./mapped-list.js";

/** Characters of a slice, about: what takes a few milliseconds to encode. */
const sliceLengths = { json: 128 * 1024, "pretty-json": 64 * 1024, yaml: 8 * 1024 } as const;

/** How an answer is written. */
export type SliceFormat = "json" | "pretty-json" | "yaml";

/** Whether a value has a long list right inside, as lists and tables do. */
export function hasLongList(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.values(value).some(isLongList);
}

const isLongList = (field: unknown): field is readonly unknown[] | MappedList =>
  (Array.isArray(field) || field instanceof MappedList) && field.length >= longFrom;

/** The text of an object in slices of about the same size, the items of its long lists one by one. */
export function* listSlices(
  object: Readonly<Record<string, unknown>>,
  format: SliceFormat,
): Iterable<string> {
  const sliceLength = sliceLengths[format];
  let text = "";
  for (const part of format === "yaml" ? yamlParts(object) : jsonParts(object, format === "pretty-json")) {
    text += part;
    if (text.length < sliceLength) continue;
    yield text;
    text = "";
  }
  yield text;
}

function* jsonParts(object: Readonly<Record<string, unknown>>, pretty: boolean): Iterable<string> {
  const indent = pretty ? 2 : undefined;
  const [field, item, colon] = pretty ? ["\n  ", "\n    ", ": "] : ["", "", ":"];
  const indented = (value: unknown, line: string): string =>
    pretty ? stringifyJson(value, indent).replaceAll("\n", line) : stringifyJson(value);
  let before = "{";
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${field}${JSON.stringify(name)}${colon}`;
    before = ",";
    if (!isLongList(value)) yield indented(value, field);
    else {
      let open = "[";
      for (const each of value) {
        yield `${open}${item}${indented(each, item)}`;
        open = ",";
      }
      yield `${field}]`;
    }
  }
  yield pretty ? "\n}" : "}\n";
}

function* yamlParts(object: Readonly<Record<string, unknown>>): Iterable<string> {
  for (const name of Object.keys(object).sort()) {
    const value = object[name];
    if (value === undefined) continue;
    if (!isLongList(value)) yield encodeYaml({ [name]: value });
    else {
      yield encodeYaml({ [name]: null }).replace(/ null\n$/, "\n");
      for (const each of value) yield encodeYaml([each]);
    }
  }
}
