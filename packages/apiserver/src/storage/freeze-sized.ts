// What is stored is frozen, and how much of it there is decides how much history can be kept: both in one walk. Of what is
// large that is done step by step before it is stored.

import { Pace } from "@kubewright/api/steps";
import { peekKeys } from "../codec/json/listed-keys.js";

/** Punctuation and the like, per value. */
export const perValue = 4;

/** What values take in memory besides their text: objects and lists, and the place in them each value has. */
const memoryPerContainer = 56;
const memoryPerValue = 24;

/** Bytes of JSON that an object may take: what etcd takes in one request. */
export const mostBytes = 1.5 * 1024 * 1024;

/** About how many bytes a value takes. */
export interface Size {
  /** As JSON. */
  readonly json: number;
  /** In memory: many times as much where there is little text in it. */
  readonly memory: number;
}

/**
 * Freezes a JSON value and everything in it, and returns its size. Parts that are frozen already are only measured, and
 * not even that where they were prepared. Stops where there are more than `most` bytes of JSON.
 */
export function freezeSized(root: object, most = Number.POSITIVE_INFINITY, isPrepared = false): Size {
  const size = { json: 0, memory: 0 };
  const open = [root];
  for (let next = open.pop(); next !== undefined && size.json <= most; next = open.pop()) {
    const known = isPrepared ? sizes.get(next) : undefined;
    if (known) {
      size.json += known.json;
      size.memory += known.memory;
    } else enter(next, open, size);
    Object.freeze(next);
  }
  if (size.json > largeFrom) markLarge(root);
  return size;
}

/** Bytes of JSON that may take long to write. */
const largeFrom = 32 * 1024;

const large = new WeakSet<object>();

/** Whether something that is stored, or stands right inside of such a thing, is part of what may take long to write. */
export const isLarge = (part: object): boolean => large.has(part);

/** Parts are marked as far down as answers share them: those of the object, of its metadata, and of its field managers. */
function markLarge(root: object): void {
  large.add(root);
  for (const part of partsOf(root)) large.add(part);
  const { metadata } = root as { readonly metadata?: { readonly managedFields?: unknown } };
  for (const part of partsOf(metadata)) large.add(part);
  for (const entry of partsOf(metadata?.managedFields)) {
    large.add(entry);
    for (const part of partsOf(entry)) large.add(part);
  }
}

const partsOf = (value: unknown): object[] =>
  Object.values(value ?? {}).filter((part): part is object => typeof part === "object" && part !== null);

/** Sizes of frozen parts that were found step by step. */
const sizes = new WeakMap<object, Size>();
const prepared = new WeakSet<object>();

/** Values that are frozen at a stretch. */
const valuesPerStep = 2000;

/**
 * Freezes the parts of an object, and those of its metadata, step by step, so that freezing the object itself takes little
 * more. Stops where there are more than `most` bytes of JSON in one of them.
 */
export function preparingSteps(object: { readonly metadata: object }, most = mostBytes): void {
  for (const part of [...Object.values(object), ...Object.values(object.metadata)]) {
    if (typeof part === "object" && part !== null && part !== object.metadata) preparePart(part, most);
  }
  prepared.add(object);
}

/** Whether parts of the object are known to be frozen, and how large they are. */
export const isPrepared = (object: object): boolean => prepared.has(object);

function preparePart(part: object, most: number): void {
  const size = { json: 0, memory: 0 };
  const open = [part];
  let values = 0;
  for (let next = open.pop(); next !== undefined && size.json <= most; next = open.pop()) {
    values += enter(next, open, size);

    Object.freeze(next);
    if (values <= valuesPerStep) continue;
    values = 0;
  }
  if (size.json <= most) sizes.set(part, size);
}

/** About how many bytes a JSON value takes as JSON. Freezes nothing. */
export function sizeOfJson(root: object, most = Number.POSITIVE_INFINITY): number {
  return sizingSteps(root, most);
}

/** Whether a value is too large to be stored, whatever becomes of it. Freezes nothing. Who knows the size already tells it. */
export function isTooLarge(root: object, size?: number): boolean {
  return (size ?? sizingSteps(root, mostBytes)) > mostBytes;
}

function sizingSteps(root: object, most: number): number {
  let json = 0;
  const open = [root];
  const pace = new Pace(valuesPerStep);
  for (let next = open.pop(); next !== undefined && json <= most; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) {
        json += perValue + textOf(item, open);
      }
      continue;
    }
    const fields = next as Readonly<Record<string, unknown>>;
    for (const key of peekKeys(fields)) {
      const field = fields[key];
      if (field !== undefined) json += perValue + key.length + textOf(field, open);
    }
  }
  return json;
}

/** Adds one object or list to a size, and those inside, which are left for later, to the open ones. Returns how many values it has. */
function enter(container: object, open: object[], size: { json: number; memory: number }): number {
  let text = 0;
  let values = 0;
  if (Array.isArray(container)) {
    values = container.length;
    for (const item of container) text += textOf(item, open);
  } else {
    const fields = container as Readonly<Record<string, unknown>>;
    for (const key in fields) {
      values++;
      text += key.length + textOf(fields[key], open);
    }
  }
  size.json += text + values * perValue;
  size.memory += text + values * memoryPerValue + memoryPerContainer;
  return values;
}

function textOf(value: unknown, open: object[]): number {
  if (typeof value === "string") return value.length;
  if (typeof value === "object" && value !== null) open.push(value);
  return 0;
}
