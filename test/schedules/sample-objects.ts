import { parseAllDocuments } from "yaml";

/** The objects of a YAML text. */
export function objectsIn(text: string): readonly object[] {
  return parseAllDocuments(text).map((document): object => document.toJS());
}
