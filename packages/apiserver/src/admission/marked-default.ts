// Classes that annotations make the default: the newest wins, then the first by name.
import type { ObjectMeta } from "@kubewright/api";
import type { Storage } from "../storage/index.js";

const isMarked = ({ annotations = {} }: ObjectMeta, keys: readonly string[]): boolean =>
  keys.some((key) => annotations[key] === "true");

/** The name of the default object of a table; undefined when none is marked. */
export function markedDefault(
  storage: Storage,
  table: string,
  ...annotations: readonly string[]
): string | undefined {
  const marked = [...storage.list(table, { prefix: "" })].filter(({ metadata }) =>
    isMarked(metadata, annotations),
  );
  // In key order already, and sorting keeps it where times are equal.
  const born = (metadata: ObjectMeta): number => Date.parse(metadata.creationTimestamp ?? "");
  return marked.sort((a, b) => born(b.metadata) - born(a.metadata))[0]?.metadata.name;
}
