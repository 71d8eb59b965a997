// Lists and structs as Go prints them in messages.
import { goQuote } from "@kubewright/api";

/** `["a" "b"]`, as `%q` prints a list. */
export const goStrings = (values: readonly string[]): string => `[${values.map(goQuote).join(" ")}]`;
