// Objects on their way through the server. A draft was decoded for one request alone, so it may be changed in place until it is stored.
import type { Draft, ObjectMeta } from "@kubewright/api";

/** An object at rest: frozen, shared with every reader, and carrying the revision of its last write. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly [field: string]: unknown;
}

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

/** The response of a dry run: an object that looks stored but is not, and may lack a resourceVersion. */
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

// Strategies are handed objects of any kind; a kind's own file knows which. Decoding has coerced every field to the kind's type, so seeing
// the object as that type is no guess.

/** A draft as the kind it is, mutable. */
export const draftAs = <T>(object: DraftObject): Draft<T> => object as unknown as Draft<T>;

/** A stored object as the kind it is. */
export const storedAs = <T>(object: StoredObject): T => object as unknown as T;
