// Finding things by name again and again takes the square of how many there are, unless they are looked up.

/** The first thing of each name. */
export function firstByName<T extends { readonly name: string }>(
  things: readonly T[],
): ReadonlyMap<string, T> {
  const named = new Map<string, T>();
  for (const thing of things) if (!named.has(thing.name)) named.set(thing.name, thing);
  return named;
}
