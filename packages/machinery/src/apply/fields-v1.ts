// The JSON a FieldSet travels as: `{"f:spec":{"f:replicas":{}}}`. `.` says that the element above is itself a member.
import { isObject, ownValue } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import { type PathElement, parseElement, sortElements } from "./path-element.js";

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

/**
 * Sets by the frozen FieldsV1 they were parsed from, which many objects share. Of the module, because every tracker and merge may parse the
 * same stored entry: frozen, it always parses to the same set, and the entry goes when the stored object does.
 */
const parsed = new WeakMap<object, FieldSet>();

/** Reads FieldsV1 in any spelling a client may use. Throws FieldsV1Error or PathElementError. */
export function parseFieldsV1(fields: unknown): FieldSet {
  const isLasting = isObject(fields) && Object.isFrozen(fields);
  const known = isLasting ? parsed.get(fields) : undefined;
  if (known) return known;
  const { set = FieldSet.empty } = readNode(fields, 0);
  if (isLasting) parsed.set(fields, set);
  return set;
}

/** The set below an element, and whether the element itself is a member. */
interface ReadNode {
  readonly set: FieldSet | undefined;
  readonly member: boolean;
}

const readLeaf: ReadNode = { set: undefined, member: true };

function readNode(fields: unknown, depth: number): ReadNode {
  if (fields === null || fields === undefined) return readLeaf;
  if (!isObject(fields)) throw new FieldsV1Error("expected an object");
  if (depth > maxDepth) throw new FieldsV1Error("nested too deeply");
  let member = false;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const key of Object.keys(fields)) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const child = readNode(ownValue(fields, key), depth + 1);
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

function printNode(set: FieldSet, isMember: boolean, print: PrintPart): FieldsV1 {
  const fields: Record<string, FieldsV1> = isMember ? { ".": leaf } : {};
  for (const element of sortElements(elementsOf(set))) {
    const child = set.children.get(element);
    fields[element] = child ? print(child, set.members.has(element)) : leaf;
  }
  return Object.freeze(fields);
}
