// An expression's text and the way problems in it are shown, which is the way Kubernetes shows them:
//
//   ERROR: <input>:1:5: undefined field 'b'
//    | self.b == 'x'
//    | ....^
import { CelCompileError, type CelIssue } from "./errors.js";

/** A problem at an offset (in UTF-16 units) of the source. */
export interface SourceIssue {
  readonly offset: number;
  readonly message: string;
}

/** Problems that are shown, and how long a line may be to be shown with them: what is sent here may be all problems. */
const maxIssues = 100;
const maxSnippet = 16_384;

/** A source text that can turn offsets into lines and columns. */
export class Source {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The compile error for these problems, in order of their place. */
  error(issues: readonly SourceIssue[]): CelCompileError {
    const sorted = issues.slice(0, maxIssues).sort((a, b) => a.offset - b.offset);
    const located: CelIssue[] = [];
    const shown: string[] = [];
    const place = new Place(this.text);
    for (const { offset, message } of sorted) {
      place.moveTo(offset);
      const issue = { message, line: place.line, column: place.column };
      located.push(issue);
      shown.push(show(issue, place.snippet));
    }
    if (issues.length > maxIssues) shown.push(`${issues.length - maxIssues} more errors were truncated`);
    return new CelCompileError(shown.join("\n"), located);
  }
}

/** A place in a text that only moves on: all problems of a long one are found in one walk. */
class Place {
  line = 1;
  column = 1;
  readonly #text: string;
  #offset = 0;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  moveTo(offset: number): void {
    const text = this.#text;
    for (; this.#offset < offset && this.#offset < text.length; this.#offset++) {
      const unit = text.charCodeAt(this.#offset);
      if (unit === 0x0a) {
        this.line++;
        this.column = 1;
        this.#lineStart = this.#offset + 1;
        // Two units may be one character.
      } else if (unit < 0xdc00 || unit > 0xdfff) this.column++;
    }
  }

  /** The line it is in; undefined when that is too long to be shown. */
  get snippet(): string | undefined {
    const end = this.#text.indexOf("\n", this.#lineStart);
    const length = (end < 0 ? this.#text.length : end) - this.#lineStart;
    if (length > maxSnippet) return undefined;
    return this.#text.slice(this.#lineStart, this.#lineStart + length).replaceAll("\t", " ");
  }
}

const isWide = (character: string | undefined): boolean => (character?.codePointAt(0) ?? 0) > 0x7f;

function show({ line, column, message }: CelIssue, snippet: string | undefined): string {
  // Where there is no text at all there is no column either.
  if (snippet === "" && line === 1) return `ERROR: <input>:1:0: ${message}`;
  const head = `ERROR: <input>:${line}:${column}: ${message}`;
  if (snippet === undefined) return head;
  return `${head}\n | ${snippet}\n | ${pointer(snippet, column)}`;
}

/** Dots up to the column, and a mark at it, as wide as the characters above them. */
function pointer(snippet: string, column: number): string {
  if (/^[ -~]*$/.test(snippet)) return `${".".repeat(column - 1)}^`;
  const characters = [...snippet];
  const dots = characters.slice(0, column - 1).map((character) => (isWide(character) ? "．" : "."));
  return `${dots.join("")}${isWide(characters[column - 1]) ? "＾" : "^"}`;
}
