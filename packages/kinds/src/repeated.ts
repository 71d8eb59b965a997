// Lists that may hold nothing twice can be long, and looking back from each of their items would take the square of that.

/** The indexes of values that stood earlier in the list. */
export function repeated(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const indexes = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) indexes.add(index);
    else seen.add(value);
  }
  return indexes;
}
