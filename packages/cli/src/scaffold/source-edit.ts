// Small edits of a user's TypeScript: an import, an element of a list, a property of an object. Everything else stays as it
// is, to the letter; what cannot be found is left to the user.
import { closingIndex, type Token, tokenize } from "./tokens.js";

/** Adds `import { name } from "from"`, unless the file imports that name from there already. */
export function addImport(source: string, name: string, from: string): string {
  const tokens = tokenize(source);
  const imports = importsOf(tokens);
  if (imports.some(({ module, names }) => module === from && names.has(name))) return source;
  const line = `import { ${name} } from ${JSON.stringify(from)};\n`;
  const isBefore = (module: string): boolean => {
    const [here, there] = [module.startsWith("."), from.startsWith(".")];
    return here === there ? sortKey(module) <= sortKey(from) : there;
  };
  const after = imports.findLast(({ module }) => isBefore(module));
  if (after) {
    const at = endOfLine(source, after.end);
    return source.slice(0, at) + line + source.slice(at);
  }
  const at = imports[0]?.start ?? tokens[0]?.start ?? source.length;
  return source.slice(0, at) + line + (imports.length > 0 ? "" : "\n") + source.slice(at);
}

/** `./order.js` stands before `./order-status.js`. */
const sortKey = (module: string): string => module.replace(/\.js$/, "");

export interface ImportStatement {
  readonly start: number;
  readonly end: number;
  readonly module: string;
  readonly names: ReadonlySet<string>;
}

export function importsOf(tokens: readonly Token[]): readonly ImportStatement[] {
  const found: ImportStatement[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    const following = tokens[index + 1]?.text;
    if (token?.text !== "import" || token.kind !== "word" || following === "(" || following === ".") continue;
    const last = tokens.findIndex(({ kind }, at) => at > index && kind === "string");
    const module = tokens[last];
    if (!module) break;
    const end = tokens[last + 1]?.text === ";" ? tokens[last + 1] : module;
    const names = new Set(tokens.slice(index, last).map(({ text }) => text));
    found.push({ start: token.start, end: end?.end ?? module.end, module: module.text.slice(1, -1), names });
    index = last;
  }
  return found;
}

/**
 * Adds an element to the list under a property of the object that a call is given:
 * `defineManager({ controllers: [here] })`. Makes the property where it is missing. Undefined where the source is written in
 * a way that this does not understand.
 */
export function addListElement(
  source: string,
  callee: string,
  property: string,
  element: string,
): string | undefined {
  const object = argumentObject(source, callee);
  if (!object) return undefined;
  const { tokens, open, close } = object;
  const at = propertyIndex(tokens, open, close, property);
  if (at === undefined)
    return hasSpread(tokens, open, close)
      ? undefined
      : insertMember(source, tokens, open, close, `${property}: [${element}]`);
  if (tokens[at + 1]?.text !== ":" || tokens[at + 2]?.text !== "[") return undefined;
  const end = closingIndex(tokens, at + 2);
  if (end === undefined) return undefined;
  const elements = tokens.slice(at + 3, end);
  if (elements.some(({ text, kind }) => kind === "word" && text === element)) return source;
  return insertMember(source, tokens, at + 2, end, element);
}

/** Adds a property to the object that a call is given, unless it is there. Undefined where the call cannot be found. */
export function addProperty(
  source: string,
  callee: string,
  property: string,
  value: string,
): string | undefined {
  const object = argumentObject(source, callee);
  if (!object) return undefined;
  const { tokens, open, close } = object;
  if (propertyIndex(tokens, open, close, property) !== undefined) return source;
  return insertMember(source, tokens, open, close, `${property}: ${value}`);
}

/** Adds a member, as it is written, to the object that a call is given. Undefined where the call cannot be found. */
export function addMember(source: string, callee: string, member: string): string | undefined {
  const object = argumentObject(source, callee);
  return object && insertMember(source, object.tokens, object.open, object.close, member);
}

/** Adds a property to the object under a property of the object that a call is given: `versions: { here }`. */
export function addNestedProperty(
  source: string,
  callee: string,
  property: string,
  member: { readonly name: string; readonly value: string },
): string | undefined {
  const text = `${member.name}: ${member.value}`;
  const object = argumentObject(source, callee);
  if (!object) return undefined;
  const { tokens, open, close } = object;
  const at = propertyIndex(tokens, open, close, property);
  if (at === undefined) return insertMember(source, tokens, open, close, `${property}: { ${text} }`);
  if (tokens[at + 1]?.text !== ":" || tokens[at + 2]?.text !== "{") return undefined;
  const end = closingIndex(tokens, at + 2);
  if (end === undefined) return undefined;
  if (propertyIndex(tokens, at + 2, end, member.name) !== undefined) return source;
  return insertMember(source, tokens, at + 2, end, text);
}

/** Whether the object a call is given has a property. */
export function hasProperty(source: string, callee: string, property: string): boolean {
  const object = argumentObject(source, callee);
  return (
    object !== undefined && propertyIndex(object.tokens, object.open, object.close, property) !== undefined
  );
}

/** The object that a call is given: the first argument, or the one after a name, `defineWebhook(ModelBox, { … })`. */
export function argumentObject(source: string, callee: string) {
  const tokens = readTokens(source);
  const textAt = (at: number): string | undefined => tokens[at]?.text;
  const openAfter = (call: number): number | undefined => {
    if (textAt(call + 1) !== "(") return undefined;
    if (textAt(call + 2) === "{") return call + 2;
    return textAt(call + 3) === "," && textAt(call + 4) === "{" ? call + 4 : undefined;
  };
  const call = tokens.findIndex(({ text }, at) => text === callee && openAfter(at) !== undefined);
  const open = openAfter(call);
  if (call < 0 || open === undefined) return undefined;
  const close = closingIndex(tokens, open);
  return close === undefined ? undefined : { tokens, open, close };
}

/** A source that cannot be read has no tokens: nothing is found in it. */
function readTokens(source: string): readonly Token[] {
  try {
    return tokenize(source);
  } catch {
    return [];
  }
}

/** The index of a property's name among the members between two braces. */
export function propertyIndex(
  tokens: readonly Token[],
  open: number,
  close: number,
  name: string,
): number | undefined {
  return membersOf(tokens, open, close).find((at) => {
    const text = tokens[at]?.text;
    return text === name || text === JSON.stringify(name);
  });
}

function hasSpread(tokens: readonly Token[], open: number, close: number): boolean {
  return membersOf(tokens, open, close).some((at) => tokens[at]?.text === ".");
}

/** Where each member begins. */
export function membersOf(tokens: readonly Token[], open: number, close: number): readonly number[] {
  const starts: number[] = [];
  for (let at = open + 1, begins = true; at < close; at++) {
    if (begins) starts.push(at);
    begins = false;
    const { kind, text } = tokens[at] ?? { kind: "", text: "" };
    if (kind === "punctuation" && (text === "(" || text === "[" || text === "{"))
      at = closingIndex(tokens, at) ?? close;
    else if (kind === "punctuation" && text === ",") begins = true;
  }
  return starts;
}

/** Writes a member after the last one, the way that one is written: on its line, or on one of its own. */
function insertMember(
  source: string,
  tokens: readonly Token[],
  open: number,
  close: number,
  member: string,
): string {
  const last = tokens[close - 1];
  const opening = tokens[open];
  const closingToken = tokens[close];
  if (!last || !opening || !closingToken) return source;
  const starts = membersOf(tokens, open, close);
  const lastStart = tokens[starts.at(-1) ?? open];
  if (starts.length === 0 || !lastStart) {
    const inner = source.slice(opening.end, closingToken.start);
    const padded = opening.text === "{" ? ` ${member} ` : member;
    // Nothing but space, or comments, which stay.
    const replaced = inner.trim() === "" ? padded : `${padded.trimEnd()},${inner}`;
    return source.slice(0, opening.end) + replaced + source.slice(closingToken.start);
  }
  const hasComma = last.text === ",";
  const isMultiline = source.slice(opening.end, lastStart.start).includes("\n");
  const before = source.slice(0, last.end) + (hasComma ? "" : ",");
  if (!isMultiline) return `${before} ${member}${hasComma ? "," : ""}${source.slice(last.end)}`;
  const lineStart = source.lastIndexOf("\n", lastStart.start - 1) + 1;
  const indent = /^[ \t]*/.exec(source.slice(lineStart, lastStart.start))?.[0] ?? "";
  const at = trailingComment(source, last.end);
  return `${before}${source.slice(last.end, at)}\n${indent}${member},${source.slice(at)}`;
}

/** A comment on the same line belongs to what stands before it. */
function trailingComment(source: string, at: number): number {
  const comment = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t]*(?=\n))/.exec(source.slice(at));
  return at + (comment?.[0].length ?? 0);
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end + 1;
}
