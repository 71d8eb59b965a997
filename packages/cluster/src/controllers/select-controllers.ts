// Selects the built-in controllers that run.

/** All, none, or those named; a name with a dash before it is left out of all. */
export type ControllerSelection = "all" | "none" | readonly string[];

/** A selection names a controller that there is not. */
export class UnknownControllerError extends Error {
  override readonly name = "UnknownControllerError";
}

/** The names selected of those known; throws an UnknownControllerError when a name is not among them. */
export function selectControllers(
  known: readonly string[],
  selection: ControllerSelection,
): ReadonlySet<string> {
  if (selection === "all") return new Set(known);
  if (selection === "none") return new Set();
  const left = selection.filter((name) => name.startsWith("-")).map((name) => name.slice(1));
  const named = selection.filter((name) => !name.startsWith("-"));
  for (const name of [...left, ...named]) {
    if (name === "*" || known.includes(name)) continue;
    throw new UnknownControllerError(`there is no controller "${name}"; there are: ${known.join(", ")}`);
  }
  const isEverything = named.includes("*") || (named.length === 0 && left.length > 0);
  const wanted = isEverything ? known : known.filter((name) => named.includes(name));
  return new Set(wanted.filter((name) => !left.includes(name)));
}
