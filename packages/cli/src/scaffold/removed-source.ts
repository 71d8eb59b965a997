// Takes names back out of a user's TypeScript: an import, an element of a list, a property of an object. Everything else stays as it is.
import { argumentObject, importsOf, membersOf, propertyIndex } from "./source-edit.js";
import { closingIndex, type Token, tokenize } from "./tokens.js";

/** Without `name` in the import from there; the whole import goes when nothing else is in it. */
export function removeImport(source: string, name: string, from: string): string {
  const found = importsOf(tokenize(source)).find(({ module, names }) => module === from && names.has(name));
  if (!found) return source;
  const statement = source.slice(found.start, found.end);
  const [, before = "", list = "", after = ""] =
    /^(import\s+(?:type\s+)?\{)([^}]*)(\}[\s\S]*)$/.exec(statement) ?? [];
  const names = list.split(",").map((each) => each.trim());
  const rest = names.filter((each) => each !== "" && each.split(/\s+/).at(-1) !== name);
  if (rest.length > 0)
    return `${source.slice(0, found.start)}${before} ${rest.join(", ")} ${after}${source.slice(found.end)}`;
  return source.slice(0, found.start) + source.slice(found.end).replace(/^[ \t]*\n/, "");
}

/** Without the element in the list under a property of the object that a call is given. Undefined where that is written another way. */
export function removeListElement(
  source: string,
  callee: string,
  property: string,
  element: string,
): string | undefined {
  const object = argumentObject(source, callee);
  if (!object) return undefined;
  const { tokens, open, close } = object;
  const at = propertyIndex(tokens, open, close, property);
  if (at === undefined) return source;
  if (tokens[at + 1]?.text !== ":" || tokens[at + 2]?.text !== "[") return undefined;
  const end = closingIndex(tokens, at + 2);
  if (end === undefined) return undefined;
  const start = membersOf(tokens, at + 2, end).find((index) => tokens[index]?.text === element);
  return start === undefined ? source : withoutMember(source, tokens, { open: at + 2, close: end, start });
}

/** Without a property of the object that a call is given, or of the object under a property of it. */
export function removeProperty(
  source: string,
  callee: string,
  path: readonly [string] | readonly [string, string],
): string | undefined {
  const object = argumentObject(source, callee);
  if (!object) return undefined;
  const { tokens, open, close } = object;
  const [outer, inner] = path;
  const start = propertyIndex(tokens, open, close, outer);
  if (start === undefined) return source;
  if (inner === undefined) return withoutMember(source, tokens, { open, close, start });
  if (tokens[start + 1]?.text !== ":" || tokens[start + 2]?.text !== "{") return undefined;
  const end = closingIndex(tokens, start + 2);
  const at = end === undefined ? undefined : propertyIndex(tokens, start + 2, end, inner);
  if (end === undefined || at === undefined) return source;
  const isOnly = membersOf(tokens, start + 2, end).length === 1;
  return withoutMember(
    source,
    tokens,
    isOnly ? { open, close, start } : { open: start + 2, close: end, start: at },
  );
}

interface Member {
  readonly open: number;
  readonly close: number;
  readonly start: number;
}

function withoutMember(source: string, tokens: readonly Token[], { open, close, start }: Member): string {
  const starts = membersOf(tokens, open, close);
  const next = starts[starts.indexOf(start) + 1];
  const from = tokens[start]?.start ?? 0;
  if (next !== undefined) {
    const end = tokens[next - 1]?.end ?? from;
    return source.slice(0, from) + source.slice(end).replace(/^[ \t]*\n?[ \t]*/, "");
  }
  const last = tokens[close - 1];
  const isTrailed = last?.text === ",";
  const before = tokens[start - 1];
  const begin = before?.text === "," && !isTrailed ? before.start : (before?.end ?? from);
  const rest = source.slice(last?.end ?? from);
  const isAlone = starts.length === 1;
  return source.slice(0, begin) + (isAlone ? rest.replace(/^\s+/, "") : rest);
}
