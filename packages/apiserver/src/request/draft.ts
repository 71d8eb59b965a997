// An object being made by a request: decoded for it alone, so it may be changed in place until it is stored.
import type { ObjectMeta } from "@kubewright/api";
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

/** A mutable deep copy of JSON. */
export function cloneJson<T>(value: T): Draft<T>;
export function cloneJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  const copy: Record<string, unknown> = {};
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    if (key === "__proto__")
      Object.defineProperty(copy, key, {
        value: cloneJson(item),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else copy[key] = cloneJson(item);
  }
  return copy;
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
