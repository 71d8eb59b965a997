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
    const located = sorted.map((issue) => this.#locate(issue));
    const shown = located.map((issue) => this.#show(issue));
    if (issues.length > maxIssues) shown.push(`${issues.length - maxIssues} more errors were truncated`);
    return new CelCompileError(shown.join("\n"), located);
  }

  #locate({ offset, message }: SourceIssue): CelIssue {
    const before = this.text.slice(0, offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    const line = before.split("\n").length;
    return { message, line, column: [...before.slice(lineStart)].length + 1 };
  }

  #show(issue: CelIssue): string {
    const head = `ERROR: <input>:${issue.line}:${issue.column}: ${issue.message}`;
    const snippet = (this.text.split("\n")[issue.line - 1] ?? "").replaceAll("\t", " ");
    if (snippet.length > maxSnippet) return head;
    const characters = [...snippet];
    const isWide = (character: string | undefined): boolean => (character?.codePointAt(0) ?? 0) > 0x7f;
    const dots = characters.slice(0, issue.column - 1).map((character) => (isWide(character) ? "．" : "."));
    const mark = isWide(characters[issue.column - 1]) ? "＾" : "^";
    return `${head}\n | ${snippet}\n | ${dots.join("")}${mark}`;
  }
}
