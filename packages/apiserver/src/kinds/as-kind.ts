// Strategies are handed objects of any kind; a kind's own file knows which. Decoding has fitted every field to the
// kind's type, so seeing the object as that type is no guess.
import type { Draft } from "@kubewright/api";
import type { DraftObject } from "../request/draft.js";
import type { StoredObject } from "../storage/index.js";

/** A draft as the kind it is, mutable. */
export const draftAs = <T>(object: DraftObject): Draft<T> => object as unknown as Draft<T>;

/** A stored object as the kind it is. */
export const storedAs = <T>(object: StoredObject): T => object as unknown as T;
