import type { Document } from "../client/mongo-member.js";
import { idKey } from "./operations.js";

/** Fields that are equal; `$gt` for paging, `$nin` for exceptions. The model knows no other filters. */
export function isMatch(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (wanted !== null && typeof wanted === "object" && "$gt" in wanted)
      return idKey(document[name]) > idKey(wanted.$gt);
    if (wanted !== null && typeof wanted === "object" && "$nin" in wanted)
      return !(wanted.$nin as readonly unknown[]).some((each) => idKey(document[name]) === idKey(each));
    return idKey(document[name]) === idKey(wanted);
  });
}
