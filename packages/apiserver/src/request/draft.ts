// An object being made by a request: decoded for it alone, so it may be changed in place until it is stored.
import type { Draft, ObjectMeta } from "@kubewright/api";
import type { StoredObject } from "../storage/index.js";

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
