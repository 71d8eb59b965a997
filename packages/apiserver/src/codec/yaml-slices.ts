// YAML a slice at a time: the library that makes it takes long, so it is given no more than a few values at once.
import { sortingSteps } from "@kubewright/api/steps";
import { LongValues } from "./count-values.js";
import { yamlText } from "./encode.js";
import { isObject } from "./mutable-json.js";
import { SliceWriter } from "./slice-writer.js";

/** Characters of a slice, about: two milliseconds of work. */
const sliceSize = 4 * 1024;
/** Values that take long. */
const longFrom = 200;

/** Whether a value takes long to encode as YAML. Looks no further than it must. */
export const isLongYaml = (value: unknown): boolean => new LongValues(longFrom).isLong(value);

/** What `encodeYaml` makes of it, keys sorted, in slices of about the same size. */
export function* yamlSlices(value: unknown): Iterable<string> {
  const written = new SliceWriter(sliceSize);
  yield* new YamlSlicer().parts(value, "", written);
  yield written.text;
}

class YamlSlicer {
  readonly #known = new LongValues(longFrom);

  /** Every part is whole lines. Lists stand no deeper than the key they belong to. */
  *parts(value: unknown, margin: string, written: SliceWriter): Iterable<string> {
    if (!this.#known.isLong(value)) written.text += indented(yamlText(value), margin);
    else if (Array.isArray(value)) yield* this.#items(value, margin, written);
    else if (isObject(value)) {
      // Looking into it may have taken long.
      yield "";
      yield* this.#fields(value, margin, written);
    }
  }

  *#items(list: readonly unknown[], margin: string, written: SliceWriter): Iterable<string> {
    for (const batch of this.#batches(list, (item) => item)) {
      const [item] = batch;
      if (this.#known.isLong(item)) yield* this.#longItem(item, margin, written);
      else written.text += indented(yamlText(batch), margin);
      if (written.isFull) yield written.take();
    }
  }

  /** The first line of the item stands behind the dash. */
  *#longItem(item: unknown, margin: string, written: SliceWriter): Iterable<string> {
    const inner = new SliceWriter(sliceSize);
    let dash = `${margin}- `;
    for (const part of this.parts(item, `${margin}  `, inner)) {
      if (part === "") {
        yield "";
        continue;
      }
      written.text += dash + part.slice(dash.length);
      dash = "";
      if (written.isFull) yield written.take();
    }
    written.text += dash + inner.text.slice(dash.length);
  }

  *#fields(
    fields: Readonly<Record<string, unknown>>,
    margin: string,
    written: SliceWriter,
  ): Iterable<string> {
    const names = yield* sortedNames(fields);
    for (const batch of this.#batches(names, (name) => fields[name])) {
      const [name = ""] = batch;
      const field = fields[name];
      if (this.#known.isLong(field)) {
        written.text += indented(yamlText({ [name]: null }).replace(/ null\n$/, "\n"), margin);
        yield* this.parts(field, Array.isArray(field) ? margin : `${margin}  `, written);
      } else {
        const some = Object.fromEntries(batch.map((each) => [each, fields[each]]));
        written.text += indented(yamlText(some), margin);
      }
      if (written.isFull) yield written.take();
    }
  }

  /** Members that take about as long together as one that is just not long; long ones are alone. */
  *#batches<T>(members: readonly T[], toValue: (member: T) => unknown): Iterable<readonly T[]> {
    let batch: T[] = [];
    let values = 0;
    for (const member of members) {
      const count = 1 + this.#known.count(toValue(member));
      if (batch.length > 0 && values + count > longFrom) {
        yield batch;
        batch = [];
        values = 0;
      }
      batch.push(member);
      values += count;
    }
    if (batch.length > 0) yield batch;
  }
}

/** Names that are sorted in less than a millisecond. */
const fewNames = 2000;

/** The names of fields, sorted; where there are a great many, with pauses. */
function* sortedNames(fields: Readonly<Record<string, unknown>>): Generator<"", readonly string[]> {
  const names = Object.keys(fields);
  if (names.length > fewNames) yield "";
  const present = names.filter((name) => fields[name] !== undefined);
  if (present.length <= fewNames) return present.sort();
  const sorting = sortingSteps(present, (a, b) => (a < b ? -1 : Number(a > b)));
  for (;;) {
    const { done, value } = sorting.next();
    if (done) return value;
    yield "";
  }
}

/** Lines that are empty stay so: they are inside of texts. */
const indented = (text: string, margin: string): string =>
  margin === "" ? text : text.replace(/^(?=.)/gm, margin);
