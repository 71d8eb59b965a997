// What long blocks (`|`, `>`) say.

import type { Steps } from "@kubewright/api/steps";
import type { CST } from "yaml";

/** Lines that take less than a millisecond. */
const step = 1000;

interface Line {
  /** Columns. */
  readonly indent: number;
  readonly content: string;
}

/** The text of a block, whose source was taken out of its token. Its first line was checked already. */
export function* blockText(
  { indent, props: [header] }: CST.BlockScalar,
  source: string,
  complain: (at: number, problem: string) => Error,
): Steps<string> {
  const said = header && "source" in header ? String(header.source) : "";
  const explicit = Number(/[1-9]/.exec(said)?.[0] ?? 0);
  const block = new Block(yield* linesOf(source), indent, explicit, complain);
  return yield* block.text(said.startsWith(">"), /[-+]/.exec(said)?.[0]);
}

function* linesOf(source: string): Steps<readonly Line[]> {
  const lines: Line[] = [];
  for (let from = 0; ; ) {
    if (lines.length % step === step - 1) yield;
    const end = source.indexOf("\n", from);
    let start = from;
    while (source.charCodeAt(start) === 0x20) start++;
    lines.push({ indent: start - from, content: source.slice(start, end === -1 ? undefined : end) });
    if (end === -1) return lines;
    from = end + 1;
  }
}

const isEmpty = ({ content }: Line): boolean => content === "" || content === "\r";

class Block {
  readonly #lines: readonly Line[];
  /** Lines with something in them, from and to. */
  readonly #first: number;
  readonly #end: number;
  readonly #columns: number;

  constructor(
    lines: readonly Line[],
    indent: number,
    explicit: number,
    complain: (at: number, problem: string) => Error,
  ) {
    this.#lines = lines;
    const first = lines.findIndex((line) => !isEmpty(line));
    this.#first = first === -1 ? lines.length : first;
    const { indent: found = 0 } = lines[first] ?? {};
    this.#columns = explicit === 0 ? found : indent + explicit;
    if (lines.some((line) => line.indent < this.#columns && !isEmpty(line)))
      throw complain(0, "Block scalar lines must not be less indented than their first line");
    this.#end = 1 + lines.findLastIndex((line) => !isEmpty(line) || line.indent > this.#columns);
  }

  *text(folded: boolean, chomp: string | undefined): Steps<string> {
    const lines = this.#lines;
    if (this.#first === lines.length) return chomp === "+" ? "\n".repeat(Math.max(1, lines.length - 1)) : "";
    let text = "";
    for (const line of lines.slice(0, this.#first)) text += `${this.#blanks(line)}\n`;
    text += folded ? yield* this.#folded() : yield* this.#literal();
    if (chomp === "-") return text;
    if (chomp === "+") for (const line of lines.slice(this.#end)) text += `\n${this.#blanks(line)}`;
    return chomp === "+" && text.endsWith("\n") ? text : `${text}\n`;
  }

  /** Blanks beyond those that every line has. */
  #blanks({ indent }: Line): string {
    return indent > this.#columns ? " ".repeat(indent - this.#columns) : "";
  }

  *#literal(): Steps<string> {
    const parts: string[] = [];
    for (let index = this.#first; index < this.#end; index++) {
      if (index % step === 0) yield;
      const line = this.#lines[index];
      if (line) parts.push(this.#blanks(line) + withoutReturn(line.content));
    }
    return parts.join("\n");
  }

  *#folded(): Steps<string> {
    const parts: string[] = [];
    let separator = "";
    let wasIndented = false;
    for (let index = this.#first; index < this.#end; index++) {
      if (index % step === 0) yield;
      const line = this.#lines[index];
      if (!line) break;
      const content = withoutReturn(line.content);
      if (line.indent > this.#columns || content.startsWith("\t")) {
        if (separator === " ") separator = "\n";
        else if (!wasIndented && separator === "\n") separator = "\n\n";
        parts.push(separator, this.#blanks(line), content);
        separator = "\n";
        wasIndented = true;
      } else if (content !== "") {
        parts.push(separator, content);
        separator = " ";
        wasIndented = false;
      } else if (separator === "\n") parts.push("\n");
      else separator = "\n";
    }
    return parts.join("");
  }
}

const withoutReturn = (content: string): string => (content.endsWith("\r") ? content.slice(0, -1) : content);
