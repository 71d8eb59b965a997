// Programs of simulated containers that show part of a text, or count it.
import { type ProgramContext, UnknownProgramError } from "./program.js";

const paths = (args: readonly string[]): readonly string[] => args.filter((word) => !word.startsWith("-"));

/** The text of a file, or of the input; undefined, and said, when there is no such file. */
function textOf(name: string, path: string | undefined, context: ProgramContext): string | undefined {
  const bytes = path === undefined ? (context.input ?? Buffer.alloc(0)) : context.files.read(path);
  if (!bytes) context.stderr(`${name}: ${path}: No such file or directory\n`);
  return bytes && Buffer.from(bytes).toString();
}

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** `-n 5`, `-n5` or `-5`; ten lines by default. */
export function head(args: readonly string[], context: ProgramContext): number {
  const [, number] = /(?:^| )-(?:n ?)?(\d+)/.exec(args.join(" ")) ?? [];
  const path = paths(args).find((word) => word !== number);
  const text = textOf("head", path, context);
  if (text === undefined) return 1;
  context.stdout(
    linesOf(text)
      .slice(0, Number(number ?? 10))
      .join(""),
  );
  return 0;
}

/** Lines, words and bytes, or the one that is asked for. */
export function count(args: readonly string[], context: ProgramContext): number {
  const [path] = paths(args);
  const text = textOf("wc", path, context);
  if (text === undefined) return 1;
  const numbers = {
    l: text.split("\n").length - 1,
    w: text.split(/\s+/).filter(Boolean).length,
    c: Buffer.byteLength(text),
  };
  const asked = Object.entries(numbers).filter(([letter]) =>
    args.some((word) => word.startsWith("-") && word.includes(letter)),
  );
  const shown = (asked.length > 0 ? asked : Object.entries(numbers)).map(([, number]) => number);
  context.stdout(`${[...shown, ...(path === undefined ? [] : [path])].join(" ")}\n`);
  return 0;
}

/** `awk '{print $2}'`; other programs of it are not known. */
export function column([program = "", path]: readonly string[], context: ProgramContext): number {
  const [, number] = /^\s*\{\s*print \$(\d+)\s*\}\s*$/.exec(program) ?? [];
  if (number === undefined) throw new UnknownProgramError("awk");
  const text = textOf("awk", path, context);
  if (text === undefined) return 2;
  for (const line of linesOf(text)) {
    const fields = line.trim().split(/\s+/);
    context.stdout(`${number === "0" ? line.trimEnd() : (fields[Number(number) - 1] ?? "")}\n`);
  }
  return 0;
}
