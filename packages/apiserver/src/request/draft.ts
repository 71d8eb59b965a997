// An object being made by a request: decoded for it alone, so it may be changed in place until it is stored.
import type { ObjectMeta } from "@kubewright/api";
import { leaveKeys } from "../codec/index.js";
import type { StoredObject } from "../storage/index.js";

/** A type with every readonly taken off. */
export type Draft<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Draft<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Draft<T[Key]> }
      : T;

/** The metadata of an object, mutable. */
export type DraftMeta = Draft<ObjectMeta>;

/** Any object, mutable. */
export interface DraftObject {
  apiVersion: string;
  kind: string;
  metadata: DraftMeta;
  [field: string]: unknown;
}

/** A draft whose metadata may be changed, field by field; all else is shared with what is stored, and may be replaced only. */
export const draftOf = (object: StoredObject): DraftObject => ({
  ...object,
  metadata: { ...(object.metadata as DraftMeta) },
});

/** A mutable deep copy of JSON. */
export function cloneJson<T>(value: T): Draft<T>;
export function cloneJson(value: unknown): unknown {
  return copyOf(value, undefined);
}

/** The same step by step. Who knows better ways to the keys of objects than listing them tells. */
export function cloningSteps(value: unknown, keysOf: KeysOf = Object.keys): unknown {
  const later: (() => void)[] = [];
  const copy = copyOf(value, { later, keysOf });
  // Where copying puts off more, that comes last.
  for (const goOn of later) {
    goOn();
  }
  return copy;
}

type KeysOf = (object: object) => readonly string[];

/** Where work is put off to, if it may be. */
interface Patience {
  readonly later: (() => void)[];
  readonly keysOf: KeysOf;
}

/** Members that are copied at once; those of longer lists and objects are put off. */
const fewMembers = 500;

function copyOf(value: unknown, patience: Patience | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? copyList(value, patience) : copyFields(value, patience);
}

function copyList(list: readonly unknown[], patience: Patience | undefined): unknown[] {
  if (!patience || list.length <= fewMembers) return list.map((item) => copyOf(item, patience));
  const copy: unknown[] = [];
  for (let from = 0; from < list.length; from += fewMembers)
    patience.later.push(() => {
      for (const item of list.slice(from, from + fewMembers)) copy.push(copyOf(item, patience));
    });
  return copy;
}

function copyFields(value: object, patience: Patience | undefined): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const fields = value as Readonly<Record<string, unknown>>;
  const keys = patience ? patience.keysOf(fields) : Object.keys(fields);
  if (!patience || keys.length <= fewMembers)
    for (const key of keys) setOwn(copy, key, copyOf(fields[key], patience));
  else {
    leaveKeys(copy, keys);
    for (let from = 0; from < keys.length; from += fewMembers)
      patience.later.push(() => {
        for (const key of keys.slice(from, from + fewMembers))
          setOwn(copy, key, copyOf(fields[key], patience));
      });
  }
  return copy;
}

function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

/** What a dry run answers with: an object that looks stored but is not, and may lack a version. */
export function unstored(draft: DraftObject): StoredObject {
  const { name = "", uid = "", resourceVersion } = draft.metadata;
  const metadata = {
    ...draft.metadata,
    name,
    uid,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return { ...draft, metadata: metadata as StoredObject["metadata"] };
}
