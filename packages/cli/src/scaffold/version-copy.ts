// The source of a further version of a kind, as a copy of the version that the kind is defined in: nothing is lost between the two until
// somebody changes one of them.
import { posix } from "node:path";
import { argumentObject, importsOf, membersOf } from "./source-edit.js";
import { type Token, tokenize } from "./tokens.js";

export interface VersionCopyOptions {
  /** The file that is copied, and the new one, as paths in the project. */
  readonly from: string;
  readonly to: string;
  /** The name of the new version's constant. */
  readonly variable: string;
  /** The first line. */
  readonly comment: string;
}

/** What a version has of its own; the rest is said once for all versions. */
const ofVersion = new Set([
  "spec",
  "status",
  "fields",
  "description",
  "rules",
  "columns",
  "scale",
  "selectableFields",
  "statusSubresource",
]);

/** Undefined where the source is written in a way that this does not understand. */
export function versionCopy(source: string, options: VersionCopyOptions): string | undefined {
  const object = argumentObject(source, "defineResource");
  if (!object) return undefined;
  const { tokens, open, close } = object;
  const starts = membersOf(tokens, open, close);
  if (starts.some((at) => tokens[at]?.text === ".")) return undefined;
  const members = starts
    .filter((at) => ofVersion.has(tokens[at]?.text ?? ""))
    .map((at) => memberText(source, tokens, at, starts[starts.indexOf(at) + 1] ?? close));
  const before = declarationsBefore(source, tokens, open);
  if (before === undefined || members.length === 0) return undefined;
  const body = `${before}export const ${options.variable} = {${members.join("")}\n};\n`;
  return `${options.comment}\n${importLines(source, tokens, body, options)}\n${body}`;
}

/** With the comments and the space in front of it, and a comma behind. */
function memberText(source: string, tokens: readonly Token[], start: number, next: number): string {
  const from = tokens[start - 1]?.end ?? 0;
  const last = tokens[next - 1];
  const to = last?.text === "," ? (tokens[next - 2]?.end ?? last.start) : (last?.end ?? from);
  return `${source.slice(from, to)},`;
}

/** What stands between the imports and the definition: shared parts of the schema. */
function declarationsBefore(source: string, tokens: readonly Token[], open: number): string | undefined {
  const statement = tokens.findLastIndex(({ text }, at) => at < open && text === "export");
  const start = tokens[statement]?.start;
  if (start === undefined) return undefined;
  const end = importsOf(tokens).at(-1)?.end ?? 0;
  const text = source.slice(end, start).trim();
  return text === "" ? "" : `${text}\n\n`;
}

/** Only what the copy uses, from where it is as seen from the new file. */
function importLines(
  source: string,
  tokens: readonly Token[],
  body: string,
  { from, to }: VersionCopyOptions,
): string {
  const used = new Set(tokenize(body).map(({ text }) => text));
  return importsOf(tokens)
    .flatMap(({ start, end, module }) => {
      const [, type = "", list = ""] = /^import\s+(type\s+)?\{([^}]*)\}/.exec(source.slice(start, end)) ?? [];
      const names = list
        .split(",")
        .map((name) => name.trim())
        .filter((name) => used.has(name.split(/\s+/).at(-1) ?? ""));
      if (names.length === 0) return [];
      return [`import ${type}{ ${names.join(", ")} } from ${JSON.stringify(moved(module, from, to))};\n`];
    })
    .join("");
}

function moved(module: string, from: string, to: string): string {
  if (!module.startsWith(".")) return module;
  const path = posix.relative(posix.dirname(to), posix.join(posix.dirname(from), module));
  return path.startsWith(".") ? path : `./${path}`;
}
