// The JSON a FieldSet travels as: `{"f:spec":{"f:replicas":{}}}`. `.` says that the element above is itself a member.
import { Pace } from "@kubewright/api/steps";
import { FieldSet } from "./field-set.js";
import { getOwn, isMap } from "./json-value.js";
import { type PathElement, parseElement, sortElements, sortingElements } from "./path-element.js";

/** FieldsV1. */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

/** FieldsV1 that cannot be read. */
export class FieldsV1Error extends Error {
  override readonly name = "FieldsV1Error";
}

const maxDepth = 1000;
const leaf: FieldsV1 = Object.freeze({});

/** Sets by what they travel as. Many objects share one frozen record of the same fields. */
const parsed = new WeakMap<object, FieldSet>();

/** Reads FieldsV1 in any spelling a client may use. Throws FieldsV1Error or PathElementError. */
export const parseFieldsV1 = (fields: unknown): FieldSet => parsingFields(fields);

/** The same step by step. */
export function parsingFields(fields: unknown): FieldSet {
  const isLasting = isMap(fields) && Object.isFrozen(fields);
  const known = isLasting ? parsed.get(fields) : undefined;
  if (known) return known;
  const { set = FieldSet.empty } = readingSteps(fields, keysOf(fields), 0, new Pace(wide));
  if (isLasting) parsed.set(fields, set);
  return set;
}

/** What is below an element, and whether the element itself is a member. */
interface ReadNode {
  readonly set: FieldSet | undefined;
  readonly member: boolean;
}

const readLeaf: ReadNode = { set: undefined, member: true };

/** The keys of a map; none for anything else. */
const keysOf = (value: unknown): readonly string[] => (isMap(value) ? Object.keys(value) : []);

/** Most elements have nothing below them. */
const isLeaf = (value: unknown, keys: readonly string[]): boolean => keys.length === 0 && isMap(value);

/** `keys` are those of the fields: listing a great many of them is a stretch of its own, and done once. */
function readingSteps(fields: unknown, keys: readonly string[], depth: number, pace: Pace): ReadNode {
  if (fields === null || fields === undefined) return readLeaf;
  if (!isMap(fields)) throw new FieldsV1Error("expected an object");
  if (depth > maxDepth) throw new FieldsV1Error("nested too deeply");
  let member = false;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();

  for (const key of keys) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const below = getOwn(fields, key);
    const keysBelow = keysOf(below);
    const child = isLeaf(below, keysBelow) ? readLeaf : readingSteps(below, keysBelow, depth + 1, pace);
    if (child.member) members.add(element);
    if (child.set) children.set(element, child.set);
  }
  if (members.size === 0 && children.size === 0) return readLeaf;
  return { set: new FieldSet(members, children), member };
}

function elementsOf(set: FieldSet): PathElement[] {
  const elements = [...set.members];
  for (const element of set.children.keys()) if (!set.members.has(element)) elements.push(element);
  return elements;
}

/** Writes what is below an element, which may itself be a member. */
export type PrintPart = (part: FieldSet, isMember: boolean) => FieldsV1;

const printPart: PrintPart = (part, isMember) => printNode(part, isMember, printPart);

/** Writes a set exactly as the server does, in its order; frozen, so that it can be shared. */
export function printFieldsV1(set: FieldSet, isMember = false, print: PrintPart = printPart): FieldsV1 {
  const fields = printNode(set, isMember, print);
  if (!isMember) parsed.set(fields, set);
  return fields;
}

/** Sets with more elements than this are wide. */
const wide = 500;

/** Whether writing a set takes long. */
export function isWide(set: FieldSet): boolean {
  return countUpTo(set, wide) > wide;
}

function countUpTo(set: FieldSet, most: number): number {
  let count = set.members.size;
  for (const child of set.children.values()) {
    if (count > most) break;
    count += countUpTo(child, most - count);
  }
  return count;
}

/** `printFieldsV1` step by step, for sets that are wide. */
export function printingSteps(set: FieldSet): FieldsV1 {
  const fields = wideNode(set, false);
  parsed.set(fields, set);
  return fields;
}

function wideNode(set: FieldSet, isMember: boolean): FieldsV1 {
  const fields: Record<string, FieldsV1> = isMember ? { ".": leaf } : {};
  const count = 0;
  for (const element of sortingElements(elementsOf(set))) {
    const child = set.children.get(element);
    if (!child) fields[element] = leaf;
    else if (isWide(child)) fields[element] = wideNode(child, set.members.has(element));
    else fields[element] = printPart(child, set.members.has(element));
  }
  return Object.freeze(fields);
}

function printNode(set: FieldSet, isMember: boolean, print: PrintPart): FieldsV1 {
  const fields: Record<string, FieldsV1> = isMember ? { ".": leaf } : {};
  for (const element of sortElements(elementsOf(set))) {
    const child = set.children.get(element);
    fields[element] = child ? print(child, set.members.has(element)) : leaf;
  }
  return Object.freeze(fields);
}
