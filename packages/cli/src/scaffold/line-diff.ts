// The difference of two texts, line by line, as `diff -u` prints it.
import { unifiedDiff } from "@kubewright/machinery";

/** Hunks with three lines of context; "" where the texts are equal. */
export const lineDiff = (before: string, after: string): string =>
  unifiedDiff(linesOf(before), linesOf(after)).replace(/\n$/, "");

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
