import { isObject } from "@kubewright/api";
import type { Document } from "../client/mongo-member.js";
import { idKey } from "./operations.js";

/** Fields that are equal, or fields of fields, with dots; `$gt` for paging, `$nin` and `$ne` for exceptions. The model knows no other filters. */
export function isMatch(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const key = idKey(fieldOf(document, name));
    if (!isObject(wanted)) return key === idKey(wanted);
    if ("$gt" in wanted) return key > idKey(wanted["$gt"]);
    if ("$ne" in wanted) return key !== idKey(wanted["$ne"]);
    if ("$nin" in wanted) return !(wanted["$nin"] as readonly unknown[]).some((each) => key === idKey(each));
    return key === idKey(wanted);
  });
}

function fieldOf(document: Document, path: string): unknown {
  if (path in document) return document[path];
  return path
    .split(".")
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document);
}
