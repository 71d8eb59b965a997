// The text of a YAML document as it grows: where its last line has come to, and scalars in each style.
import type { ScalarStyle } from "./scalar-style.js";

/** Lines are folded at the first space after this many characters. */
const width = 80;

export class YamlOutput {
  #text = "";
  #column = 0;
  /** Nothing but spaces and the dashes of lists stands on the line. */
  #isAtIndent = true;
  #isAfterSpace = true;

  get text(): string {
    return this.#text;
  }

  get isAtIndent(): boolean {
    return this.#isAtIndent;
  }

  /** Goes to a line that holds nothing yet but what indents it. */
  startLine(indent: number): void {
    const isThere =
      this.#isAtIndent && (this.#column < indent || (this.#column === indent && this.#isAfterSpace));
    if (!isThere) this.#break();
    this.#put(" ".repeat(Math.max(0, indent - this.#column)));
    this.#isAfterSpace = true;
    this.#isAtIndent = true;
  }

  /** Text that stands apart from what comes before; with `indents` the rest of the line may begin a block. */
  mark(text: string, indents: boolean): void {
    if (!this.#isAfterSpace) this.#put(" ");
    this.#put(text);
    this.#isAfterSpace = false;
    this.#isAtIndent &&= indents;
  }

  /** Text right after what comes before. */
  add(text: string): void {
    this.#put(text);
    this.#isAfterSpace = false;
    this.#isAtIndent = false;
  }

  /** Lines after the first begin at `indent`; undefined where the scalar must stay on its line. */
  scalar(text: string, style: ScalarStyle, indent: number | undefined): void {
    if (style === "literal" && indent !== undefined) {
      this.#literal(text, indent);
      return;
    }
    if (!this.#isAfterSpace) this.#put(" ");
    if (style === "plain") this.#folded(text, indent, false);
    else if (style === "single") {
      this.#put("'");
      this.#folded(text, indent, true);
      this.#put("'");
    } else this.#doubleQuoted(text, indent);
    this.#isAfterSpace = false;
    this.#isAtIndent = false;
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? "2" : "";
    const chomping = !text.endsWith("\n") ? "-" : text === "\n" || text.endsWith("\n\n") ? "+" : "";
    this.mark(`|${hint}${chomping}`, false);
    this.#break();
    const lines = text.split("\n");
    for (const [index, line] of lines.entries()) {
      if (line !== "") this.#put(" ".repeat(indent) + line);
      if (index < lines.length - 1) this.#break();
      else this.#isAtIndent = line === "";
    }
    this.#isAfterSpace = true;
  }

  #folded(text: string, indent: number | undefined, isQuoted: boolean): void {
    const characters = [...text];
    for (const [index, character] of characters.entries()) {
      const isEdge = isQuoted && (index === 0 || index === characters.length - 1);
      const isSingle = characters[index - 1] !== " " && characters[index + 1] !== " ";
      if (character === " " && indent !== undefined && this.#column > width && isSingle && !isEdge)
        this.#foldTo(indent);
      else this.#put(isQuoted && character === "'" ? "''" : character);
    }
  }

  #doubleQuoted(text: string, indent: number | undefined): void {
    this.#put('"');
    const characters = [...text];
    for (const [index, character] of characters.entries()) {
      const isEdge = index === 0 || index === characters.length - 1;
      const isFirst = characters[index - 1] !== " ";
      if (character === " " && indent !== undefined && this.#column > width && isFirst && !isEdge) {
        this.#foldTo(indent);
        if (characters[index + 1] === " ") this.#put("\\");
      } else this.#put(needsEscape.test(character) ? escaped(character) : character);
    }
    this.#put('"');
  }

  #foldTo(indent: number): void {
    this.#break();
    this.#put(" ".repeat(indent));
  }

  #break(): void {
    this.#text += "\n";
    this.#column = 0;
    this.#isAtIndent = true;
    this.#isAfterSpace = true;
  }

  #put(text: string): void {
    this.#text += text;
    this.#column += text.length > 1 ? [...text].length : text.length;
  }
}

const needsEscape =
  /["\\\u{85}\u{2028}\u{2029}]|[^\n\x20-\x7e\u{a0}-\u{d7ff}\u{e000}-\u{fefe}\u{ff00}-\u{fffd}]|\n/u;

const shortEscapes: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\x85": "N",
  "\u2028": "L",
  "\u2029": "P",
};

function escaped(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
