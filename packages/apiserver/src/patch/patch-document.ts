import { copyAtOnce, copyingSteps, getOwn, isMap, type JsonMap, setOwn } from "../apply/json-value.js";
import { LongValues } from "../codec/count-values.js";
import { jsonSlices } from "../codec/slices.js";
import { cloningSteps } from "../request/draft.js";
import { JsonPointer } from "./json-pointer.js";
import { patchDoesNotApply, patchTooLarge } from "./patch-error.js";

/** What `copy` operations may add in all, in bytes of JSON. */
const maxCopiedBytes = 3 * 1024 * 1024;
/** What writes may move in all, in items and keys: bounds the time a patch of a huge list can take. */
const maxMoved = 400_000_000;
/** What moves in about a millisecond. */
const movedPerStep = 1_000_000;

/** Values that are written as JSON in less than a millisecond. */
const fewValues = 2000;

type Container = Record<string, unknown> | unknown[];

/** The document and what the operations of a patch may do to it. Everything throws an ApiError when it cannot be done. */
export class PatchDocument {
  #root: unknown;
  /** Containers this patch made and nobody else holds. */
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
    if (!isMap(node)) throw missing(path);
    return getOwn(node, key);
  }

  add(path: string, value: unknown): void {
    const { container, key } = this.#writable(path);
    if (!Array.isArray(container)) {
      setOwn(container, key, value);
      return;
    }
    const index = key === "-" ? container.length : indexIn(key, container.length + 1);
    if (index > container.length) throw invalidIndex(key);

    container.splice(index, 0, value);
  }

  remove(path: string): void {
    const { container, key } = this.#writable(path);
    if (Array.isArray(container)) {
      const index = existingIndex(container, key);

      container.splice(index, 1);
      return;
    }
    if (getOwn(container, key) === undefined) {
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
    this.#copiedBytes += bytesOf(value);
    if (this.#copiedBytes > maxCopiedBytes) {
      throw patchDoesNotApply(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
      );
    }
    // A copy of its own, so that what is written in one place does not show in the other. It is bounded, as said above.
    this.add(path, cloningSteps(value));
  }

  /** The container a path's last part names a place in, with every container above it owned. */
  #writable(path: string): { container: Container; key: string } {
    const pointer = new JsonPointer(path);
    let container = this.#ownAtOnce(this.#root) ?? this.#own(this.#root, path);
    this.#root = container;
    for (let part = pointer.next(); part !== undefined; part = pointer.next()) {
      const below = childOf(container, part);
      const child = this.#ownAtOnce(below) ?? this.#own(below, path);
      if (Array.isArray(container)) container[existingIndex(container, part)] = child;
      else setOwn(container, part, child);
      container = child;
    }
    return { container, key: keyOf(pointer, path) };
  }

  /** A container of our own for a value; undefined where it is none, or takes long to copy. */
  #ownAtOnce(value: unknown): Container | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    if (this.#owned.has(value)) return value as Container;
    if (Array.isArray(value)) return this.#adopt([...value], value.length);
    const copy = copyAtOnce(value as JsonMap);
    return copy && this.#adopt(copy, 0);
  }

  #own(value: unknown, path: string): Container {
    if (!isMap(value)) throw missing(path);
    return this.#adopt(copyingSteps(value), 0);
  }

  #adopt(copy: Container, size: number): Container {
    this.#counts(size);
    this.#owned.add(copy);
    return copy;
  }

  /** Counts what is moved; whether that is so much that it is time for a pause. */
  #counts(moved: number): boolean {
    const before = this.#moved;
    this.#moved += moved;
    if (this.#moved > maxMoved) throw patchTooLarge("The patch moves too many items");
    return Math.floor(before / movedPerStep) !== Math.floor(this.#moved / movedPerStep);
  }
}

/** Bytes of a value as JSON. */
function bytesOf(value: unknown): number {
  const known = new LongValues(fewValues);
  if (!known.isLong(value)) return Buffer.byteLength(JSON.stringify(value));
  // The line feed at the end does not count.
  let bytes = -1;
  for (const slice of jsonSlices(value, known)) {
    bytes += Buffer.byteLength(slice);
  }
  return bytes;
}

function keyOf(pointer: JsonPointer, path: string): string {
  if (pointer.last === undefined) throw missing(path);
  return pointer.last;
}

/** The value below a container, or undefined where there is none to go on with. */
function childOf(node: unknown, part: string): unknown {
  if (!Array.isArray(node)) return isMap(node) ? getOwn(node, part) : undefined;
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
