import { cloneJson, isObject, ownValue, setOwn, stringifyJson } from "@kubewright/api";
import { copyMap, type JsonMap } from "../json-map.js";
import { JsonPointer } from "./json-pointer.js";
import { isTooDeep, tooDeep } from "./nesting.js";
import { patchDoesNotApply, patchTooLarge } from "./patch-error.js";

/** The limit of all `copy` operations together, in bytes of JSON. */
const maxCopiedBytes = 3 * 1024 * 1024;
/** The limit of items and keys that writes may move in all: bounds the time a patch of a huge list can take. */
const maxMoved = 400_000_000;
type Container = Record<string, unknown> | unknown[];

/** The document and what the operations of a patch may do to it. Everything throws an ApiError when it cannot be done. */
export class PatchDocument {
  #root: unknown;
  /** Containers this patch made, which it may change in place. */
  readonly #owned = new Set<object>();
  #copiedBytes = 0;
  #moved = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  get root(): unknown {
    return this.#root;
  }

  /** The value at a path; undefined for a missing key. Throws when what should hold it is missing. */
  read(path: string): unknown {
    const pointer = new JsonPointer(path);
    let node = this.#root;
    for (let part = pointer.next(); part !== undefined; part = pointer.next()) {
      node = childOf(node, part);
      if (typeof node !== "object" || node === null) throw missing(path);
    }
    const key = keyOf(pointer, path);
    if (Array.isArray(node)) return node[existingIndex(node, key)];
    if (!isObject(node)) throw missing(path);
    return ownValue(node, key);
  }

  add(path: string, value: unknown): void {
    const { container, key } = this.#writable(path);
    if (!Array.isArray(container)) {
      setOwn(container, key, value);
      return;
    }
    const index = key === "-" ? container.length : indexIn(key, container.length + 1);
    if (index > container.length) throw invalidIndex(key);
    this.#countMoved(container.length - index);
    container.splice(index, 0, value);
  }

  remove(path: string): void {
    const { container, key } = this.#writable(path);
    if (Array.isArray(container)) {
      const index = existingIndex(container, key);
      this.#countMoved(container.length - index);
      container.splice(index, 1);
      return;
    }
    if (ownValue(container, key) === undefined) {
      throw patchDoesNotApply(`Unable to remove nonexistent key: ${key}: missing value`);
    }
    delete container[key];
  }

  replace(path: string, value: unknown): void {
    if (path === "") {
      if (typeof value !== "object" || value === null) {
        throw patchDoesNotApply("replace operation value must be object or array");
      }
      this.#root = value;
      return;
    }
    const { container, key } = this.#writable(path);
    if (Array.isArray(container)) container[existingIndex(container, key)] = value;
    else setOwn(container, key, value);
  }

  move(from: string, path: string): void {
    const value = this.read(from);
    this.remove(from);
    this.add(path, value);
  }

  copy(from: string, path: string): void {
    const value = this.read(from) ?? null;
    if (isTooDeep(value)) throw patchDoesNotApply(tooDeep);
    this.#copiedBytes += Buffer.byteLength(stringifyJson(value));
    if (this.#copiedBytes > maxCopiedBytes) {
      throw patchDoesNotApply(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
      );
    }
    // A copy of its own, so that what is written in one place does not show in the other. It is bounded, as said above.
    this.add(path, cloneJson(value));
  }

  /** The container a path's last part names a place in, with every container above it owned. */
  #writable(path: string): { container: Container; key: string } {
    const pointer = new JsonPointer(path);
    let container = this.#own(this.#root, path);
    this.#root = container;
    for (let part = pointer.next(); part !== undefined; part = pointer.next()) {
      const below = childOf(container, part);
      const child = this.#own(below, path);
      if (Array.isArray(container)) container[existingIndex(container, part)] = child;
      else setOwn(container, part, child);
      container = child;
    }
    return { container, key: keyOf(pointer, path) };
  }

  /** A container of our own for a value. */
  #own(value: unknown, path: string): Container {
    if (typeof value !== "object" || value === null) throw missing(path);
    if (this.#owned.has(value)) return value as Container;
    const copy = Array.isArray(value) ? [...value] : copyMap(value as JsonMap);
    if (Array.isArray(copy)) this.#countMoved(copy.length);
    this.#owned.add(copy);
    return copy;
  }

  #countMoved(moved: number): void {
    this.#moved += moved;
    if (this.#moved > maxMoved) throw patchTooLarge("The patch moves too many items");
  }
}

function keyOf(pointer: JsonPointer, path: string): string {
  if (pointer.last === undefined) throw missing(path);
  return pointer.last;
}

/** The value below a container, or undefined where there is none to go on with. */
function childOf(node: unknown, part: string): unknown {
  if (!Array.isArray(node)) return isObject(node) ? ownValue(node, part) : undefined;
  return isIndex(part) ? node[indexIn(part, node.length)] : undefined;
}

function existingIndex(list: readonly unknown[], key: string): number {
  const index = indexIn(key, list.length);
  if (index >= list.length) throw invalidIndex(key);
  return index;
}

const isIndex = (key: string) => /^[+-]?\d+$/.test(key);

/** An index into `length` places; negative ones count from the end. */
function indexIn(key: string, length: number): number {
  if (!isIndex(key)) throw patchDoesNotApply(`value was not a proper array index: '${key}'`);
  const index = Number(key);
  if (index < -length) throw invalidIndex(key);
  return index < 0 ? index + length : index;
}

const missing = (path: string) => patchDoesNotApply(`doc is missing path: "${path}": missing value`);
const invalidIndex = (key: string) =>
  patchDoesNotApply(`Unable to access invalid index: ${key}: invalid index referenced`);
