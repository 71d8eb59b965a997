// One element of a field path, kept in the very text FieldsV1 uses: `f:name` a field, `k:{"name":"a"}` the list item with
// those keys, `v:"x"` the list item with that value, `i:0` the item at that index. One text per element, so that
// elements are equal exactly when their texts are.

import { goQuote, isObject, stringifyJson } from "@kubewright/api";
import { parseJsonText } from "../codec/json/parse-json.js";
import { compareText, goValue } from "../go-format.js";

/** An element of a path in its canonical text. */
export type PathElement = string;

/** A place in an object, from the root. */
export type FieldPath = readonly PathElement[];

/** The field of that name. */
export const fieldElement = (name: string): PathElement => `f:${name}`;

/** The list item that equals the value. */
export const valueElement = (value: unknown): PathElement => `v:${canonicalJson(value)}`;

/** The list item with these keys; the pairs must be in the order of their names. */
export function keyElement(pairs: readonly (readonly [name: string, value: unknown])[]): PathElement {
  let text = "";
  for (const [name, value] of pairs) {
    text += `${text === "" ? "k:{" : ","}${quote(name)}:${canonicalJson(value)}`;
  }
  return text === "" ? "k:{}" : `${text}}`;
}

/** A text that is not a path element. */
export class PathElementError extends Error {
  override readonly name = "PathElementError";
}

const plain = '(?:"[A-Za-z0-9_./-]*"|0|-?[1-9][0-9]{0,14}|true|false)';
const plainValue = new RegExp(`^v:${plain}$`);
const plainKey = new RegExp(`^k:\\{"[A-Za-z0-9_]+":${plain}\\}$`);
const plainKeys = new RegExp(`^k:\\{"([A-Za-z0-9_]+)":${plain},"([A-Za-z0-9_]+)":${plain}\\}$`);

/** True for nearly every element there is: canonical without having to be parsed. */
function isPlain(text: string): boolean {
  if (text.startsWith("v")) return plainValue.test(text);
  if (plainKey.test(text)) return true;
  const [, first = "", second = ""] = plainKeys.exec(text) ?? [];
  return first < second;
}

/** The canonical form of an element as a client wrote it; undefined for kinds of elements that are not known. */
export function parseElement(text: string): PathElement | undefined {
  if (text.startsWith("f:") || isPlain(text)) return text;
  if (text.length < 2) throw new PathElementError("key must be 2 characters long:");
  if (text[1] !== ":") throw new PathElementError(`missing colon: ${text}`);
  if (text[0] === "k") return keyElement(keysOf(text));
  if (text[0] === "v") return valueElement(parseJson(text.slice(2)));
  return text[0] === "i" ? indexElement(text.slice(2)) : undefined;
}

function indexElement(text: string): PathElement {
  if (!/^[+-]?\d{1,15}$/.test(text)) {
    throw new PathElementError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  }
  return `i:${Number(text)}`;
}

function keysOf(text: PathElement): (readonly [string, unknown])[] {
  const keys = parseJson(text.slice(2));
  if (!isObject(keys)) throw new PathElementError(`expected an object: ${text}`);
  return Object.entries(keys).sort(([a], [b]) => compareText(a, b));
}

function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    throw new PathElementError(`not JSON: ${text}`, { cause });
  }
}

/** JSON as the server writes it: keys sorted, and `<`, `>`, `&` escaped. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return stringifyJson(value ?? null);
  const keys = Object.keys(value).sort(compareText);
  return `{${keys.map((key) => `${quote(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}

const needsNoEscape = /^[A-Za-z0-9_./: -]*$/;

function quote(text: string): string {
  if (needsNoEscape.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** As people read it: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function describeElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${keysOf(element)
        .map(([name, value]) => `${name}=${describeValue(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${describeValue(parseJson(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

/** A path as people read it: `.spec.ports[port=80].name`. */
export const describePath = (path: FieldPath): string => path.map(describeElement).join("");

function describeValue(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "string" ? goQuote(value) : goValue(value);
}

/** Sorts elements into the order the server writes them in: fields, keys, values, indices. */
export function sortElements(elements: PathElement[]): PathElement[] {
  const [first] = elements;
  if (first === undefined || elements.length === 1) return elements;
  const isPlain = plainLike(first);
  if (isPlain && elements.every(isPlain)) return elements.sort(compareText);
  return elements
    .map(keyed)
    .sort(compareKeyed)
    .map(({ element }) => element);
}

/** Fields, and items with one plain text for a key, sort as their texts do: a test for elements like the first; undefined where that does not hold. */
function plainLike(first: PathElement): ((element: PathElement) => boolean) | undefined {
  if (first.startsWith("f:")) return (element) => element.startsWith("f:");
  const prefix = /^(?:v|k:\{"[A-Za-z0-9_]+"):"/.exec(first)?.[0];
  return prefix === undefined ? undefined : (element) => element.startsWith(prefix) && isText(element);
}

interface KeyedElement {
  readonly element: PathElement;
  readonly sortKey: SortKey;
}

const keyed = (element: PathElement): KeyedElement => ({ element, sortKey: sortKey(element) });
const compareKeyed = (a: KeyedElement, b: KeyedElement): number => compareKeys(a.sortKey, b.sortKey);

/** One plain text, in which every character comes after the quote that ends it. */
const isText = (element: PathElement) => /^(?:v|k:\{"[A-Za-z0-9_]+"):"[A-Za-z0-9_./-]*"\}?$/.test(element);

type SortKey = readonly unknown[];

const kinds = "fkvi";

function sortKey(element: PathElement): SortKey {
  const rank = kinds.indexOf(element[0] ?? "");
  const rest = element.slice(2);
  if (rank === 0) return [rank, rest];
  if (rank === 1) return [rank, ...keysOf(element).flat()];
  return [rank, rank === 2 ? parseJson(rest) : Number(rest)];
}

function compareKeys(a: SortKey, b: SortKey): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const order = compareValues(a[index], b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers before strings before booleans before lists before objects before null. */
function compareValues(a: unknown, b: unknown): number {
  const order = typeRank(a) - typeRank(b);
  if (order !== 0) return order;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean") return Number(a) - Number(b);
  if (Array.isArray(a) && Array.isArray(b)) return compareKeys(a, b);
  return compareText(canonicalJson(a), canonicalJson(b));
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

function typeRank(value: unknown): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  if (isNumber(value)) return 0;
  return ["number", "string", "boolean", "list", "object"].indexOf(typeof value);
}
