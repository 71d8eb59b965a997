// Cuts YAML into the lexemes that the parser of the yaml package takes. That package has a lexer too, which looks at one character
// after the other of however long a text without ever pausing; what this one makes of a text is the same.

import type { Steps } from "@kubewright/api/steps";
import { CST } from "yaml";
import {
  code,
  isEmpty,
  isHexDigit,
  isMarkerAt,
  isNoAnchorCharacter,
  isTagCharacter,
} from "./lexer-characters.js";
import {
  type BlockHeader,
  endOfBlock,
  endOfPlain,
  endOfQuoted,
  endsIndicator,
  type ScalarStart,
} from "./scalar-ends.js";

/** What is expected next. */
type State = "stream" | "block-start" | "document" | "flow" | "flow-space" | "quoted" | "plain" | "block";

/** Lexemes that one state makes at most before it is asked again, where it could make a great many. */
const few = 100;
/** Characters of a lexeme that took a while to find, and take others as long to look at. */
const long = 32 * 1024;

/** The lexemes of a text in order, with `undefined` wherever it is time for a pause. */
export function lexemes(text: string): Iterable<string | undefined> {
  return new YamlLexer(text).lexemes();
}

class YamlLexer {
  readonly #text: string;
  #at = 0;
  /** What was found and not handed over yet. */
  readonly #found: (string | undefined)[] = [];
  /** Columns that lines need to belong to the current scalar. */
  #indentNext = 0;
  /** Columns of the current line. */
  #indent = 0;
  /** Brackets that are open. */
  #flowLevel = 0;
  /** Whether a colon may follow without a blank. */
  #flowKey = false;
  /** Columns of the line a flow goes on in; -1 where it goes on in the same line. */
  #flowIndent = -1;
  #header: BlockHeader = { indent: -1, keepsBlanks: false };
  #lineEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  *lexemes(): Iterable<string | undefined> {
    let state: State = "stream";
    while (this.#at < this.#text.length || state === "flow-space" || state === "plain" || state === "block") {
      if (state === "plain") state = yield* this.#plain();
      else if (state === "quoted") state = yield* this.#quoted();
      else if (state === "block") state = yield* this.#block();
      else state = this.#next(state);
      for (const lexeme of this.#found) yield lexeme;
      this.#found.length = 0;
    }
  }

  #next(state: Exclude<State, "plain" | "quoted" | "block">): State {
    switch (state) {
      case "stream":
        return this.#stream();
      case "block-start":
        return this.#blockStart();
      case "document":
        return this.#document();
      case "flow":
        this.#flowIndent = -1;
        return this.#flow();
      case "flow-space":
        return this.#flow();
    }
  }

  #code(offset = 0): number {
    return this.#text.charCodeAt(this.#at + offset);
  }

  /** Where the current line ends. */
  #endOfLine(): number {
    if (this.#lineEnd < this.#at) {
      const end = this.#text.indexOf("\n", this.#at);
      this.#lineEnd = end === -1 ? this.#text.length : end;
    }
    const end = this.#lineEnd;
    const isBreak = end < this.#text.length && this.#text.charCodeAt(end - 1) === code.return;
    return isBreak && end > this.#at ? end - 1 : end;
  }

  /** Hands over everything up to a place. */
  #take(to: number): void {
    if (to <= this.#at) return;
    const lexeme = this.#text.slice(this.#at, to);
    this.#found.push(lexeme);
    if (lexeme.length > long) this.#found.push(undefined);
    this.#at += lexeme.length;
  }

  #takeScalar(to: number): void {
    this.#found.push(CST.SCALAR);
    if (to > this.#at) this.#take(to);
    else this.#found.push("");
  }

  #takeNewline(): boolean {
    const first = this.#code();
    if (first === code.newline) this.#take(this.#at + 1);
    else if (first === code.return && this.#code(1) === code.newline) this.#take(this.#at + 2);
    else return false;
    return true;
  }

  /** How many there were. */
  #takeSpaces(tabs: boolean): number {
    const from = this.#at;
    let to = from;
    for (;;) {
      const next = this.#text.charCodeAt(to);
      if (next !== code.space && !(tabs && next === code.tab)) break;
      to++;
    }
    this.#take(to);
    return to - from;
  }

  #takeAnchor(): void {
    let to = this.#at;
    while (!isNoAnchorCharacter(this.#text.charCodeAt(to))) to++;
    this.#take(to);
  }

  #takeTag(): void {
    let to = this.#at + 1;
    if (this.#code(1) === code.less) {
      do to++;
      while (!isEmpty(this.#text.charCodeAt(to)) && this.#text.charCodeAt(to) !== code.greater);
      this.#take(this.#text.charCodeAt(to) === code.greater ? to + 1 : to);
      return;
    }
    for (;;) {
      const next = this.#text.charCodeAt(to);
      if (isTagCharacter(next)) to++;
      else if (next === code.percent && this.#isEscapedAt(to)) to += 3;
      else break;
    }
    this.#take(to);
  }

  #isEscapedAt(at: number): boolean {
    return isHexDigit(this.#text.charCodeAt(at + 1)) && isHexDigit(this.#text.charCodeAt(at + 2));
  }

  #stream(): State {
    if (this.#code() === code.byteOrderMark) this.#take(this.#at + 1);
    if (this.#code() === code.percent) return this.#directive();
    if (!this.#isBlankLine()) {
      this.#found.push(CST.DOCUMENT);
      return this.#lineStart();
    }
    const end = this.#endOfLine();
    this.#takeSpaces(true);
    this.#take(end);
    this.#takeNewline();
    return "stream";
  }

  #isBlankLine(): boolean {
    let at = this.#at;
    for (;;) {
      const next = this.#text.charCodeAt(at);
      if (next !== code.space && next !== code.tab)
        return (
          Number.isNaN(next) ||
          next === code.hash ||
          next === code.newline ||
          (next === code.return && this.#text.charCodeAt(at + 1) === code.newline)
        );
      at++;
    }
  }

  #directive(): State {
    const end = this.#endOfLine();
    let to = this.#at;
    while (to < end && !(this.#text.charCodeAt(to) === code.hash && isBlank(this.#text.charCodeAt(to - 1))))
      to++;
    while (isBlank(this.#text.charCodeAt(to - 1))) to--;
    this.#take(to);
    this.#takeSpaces(true);
    this.#take(end);
    return "stream";
  }

  #lineStart(): State {
    if (isMarkerAt(this.#text, this.#at)) {
      const isStart = this.#code() === code.minus;
      this.#take(this.#at + 3);
      this.#indent = 0;
      this.#indentNext = 0;
      return isStart ? "document" : "stream";
    }
    this.#indent = this.#takeSpaces(false);
    if (this.#indentNext > this.#indent && !isEmpty(this.#code(1))) this.#indentNext = this.#indent;
    return this.#blockStart();
  }

  #blockStart(): State {
    if (!isIndicator(this.#code()) || !isEmpty(this.#code(1))) return "document";
    this.#take(this.#at + 1);
    const columns = 1 + this.#takeSpaces(true);
    this.#indentNext = this.#indent + 1;
    this.#indent += columns;
    return "block-start";
  }

  #document(): State {
    this.#takeSpaces(true);
    const end = this.#endOfLine();
    if (!this.#takeIndicators()) return "document";
    if (this.#at >= end) return this.#endLine(end);
    switch (this.#code()) {
      case code.hash:
        return this.#endLine(end);
      case code.openMap:
      case code.openList:
        this.#take(this.#at + 1);
        this.#flowKey = false;
        this.#flowLevel = 1;
        return "flow";
      case code.closeMap:
      case code.closeList:
        this.#take(this.#at + 1);
        return "document";
      case code.asterisk:
        this.#takeAnchor();
        return "document";
      case code.doubleQuote:
      case code.singleQuote:
        return "quoted";
      case code.pipe:
      case code.greater:
        this.#takeBlockHeader(end);
        return "block";
      default:
        return "plain";
    }
  }

  /** What is left of a line is a comment. */
  #endLine(end: number): State {
    this.#take(end);
    this.#takeNewline();
    return this.#lineStart();
  }

  /** Tags, anchors, and indicators that stand where they should not; false where there may be more of them. */
  #takeIndicators(): boolean {
    for (let count = 0; count < few; count++) {
      const next = this.#code();
      if (next === code.bang) this.#takeTag();
      else if (next === code.ampersand) this.#takeAnchor();
      else if (!isIndicator(next) || !endsIndicator(this.#code(1), this.#flowLevel > 0)) return true;
      else {
        if (this.#flowLevel > 0) this.#flowKey = false;
        else this.#indentNext = this.#indent + 1;
        this.#take(this.#at + 1);
      }
      this.#takeSpaces(true);
    }
    return false;
  }

  #flow(): State {
    for (let count = 0; this.#takeFlowSpace(); count++) if (count >= few) return "flow-space";
    const end = this.#endOfLine();
    if (this.#leavesFlow(end)) {
      this.#flowLevel = 0;
      this.#found.push(CST.FLOW_END);
      return this.#lineStart();
    }
    if (this.#at >= end) return "flow";
    if (this.#code() === code.comma) {
      this.#take(this.#at + 1);
      this.#takeSpaces(true);
      this.#flowKey = false;
      return "flow";
    }
    return this.#takeIndicators() && this.#at < end ? this.#flowItem(end) : "flow";
  }

  #takeFlowSpace(): boolean {
    const from = this.#at;
    if (this.#takeNewline()) {
      this.#indent = this.#takeSpaces(false);
      this.#flowIndent = this.#indent;
    }
    this.#takeSpaces(true);
    return this.#at > from;
  }

  /** Whether the line stands too far left to belong to the flow. */
  #leavesFlow(end: number): boolean {
    const indent = this.#flowIndent;
    const first = this.#at < end ? this.#code() : Number.NaN;
    const isLeft = indent !== -1 && indent < this.#indentNext && first !== code.hash;
    if (!isLeft && !(indent === 0 && isMarkerAt(this.#text, this.#at))) return false;
    const closes = first === code.closeList || first === code.closeMap;
    return !(indent === this.#indentNext - 1 && this.#flowLevel === 1 && closes);
  }

  #flowItem(end: number): State {
    const next = this.#code();
    switch (next) {
      case code.hash:
        this.#take(end);
        return "flow";
      case code.openMap:
      case code.openList:
        this.#take(this.#at + 1);
        this.#flowKey = false;
        this.#flowLevel++;
        return "flow";
      case code.closeMap:
      case code.closeList:
        this.#take(this.#at + 1);
        this.#flowKey = true;
        this.#flowLevel--;
        return this.#flowLevel > 0 ? "flow" : "document";
      case code.asterisk:
        this.#takeAnchor();
        return "flow";
      case code.doubleQuote:
      case code.singleQuote:
        this.#flowKey = true;
        return "quoted";
    }
    const isColon =
      next === code.colon && (this.#flowKey || isEmpty(this.#code(1)) || this.#code(1) === code.comma);
    this.#flowKey = false;
    if (!isColon) return "plain";
    this.#take(this.#at + 1);
    this.#takeSpaces(true);
    return "flow";
  }

  /** Where a scalar begins. */
  get #start(): ScalarStart {
    return { text: this.#text, at: this.#at, indent: this.#indentNext };
  }

  *#quoted(): Steps<State> {
    this.#take(yield* endOfQuoted(this.#start));
    return this.#flowLevel > 0 ? "flow" : "document";
  }

  #takeBlockHeader(end: number): void {
    let indent = -1;
    let keepsBlanks = false;
    let to = this.#at + 1;
    for (; ; to++) {
      const next = this.#text.charCodeAt(to);
      if (next === code.plus) keepsBlanks = true;
      else if (next > code.zero && next <= code.nine) indent = next - code.zero - 1;
      else if (next !== code.minus) break;
    }
    this.#header = { indent, keepsBlanks };
    while (!isEmpty(this.#text.charCodeAt(to)) && this.#text.charCodeAt(to) !== code.hash) to++;
    this.#take(to);
    this.#takeSpaces(true);
    this.#take(end);
    this.#takeNewline();
  }

  *#block(): Steps<State> {
    const { end, indent } = yield* endOfBlock(this.#start, this.#header);
    this.#indentNext = indent;
    this.#takeScalar(end);
    return this.#lineStart();
  }

  *#plain(): Steps<State> {
    const inFlow = this.#flowLevel > 0;
    this.#takeScalar(yield* endOfPlain(this.#start, inFlow));
    return inFlow ? "flow" : "document";
  }
}

const isBlank = (at: number): boolean => at === code.space || at === code.tab;
const isIndicator = (at: number): boolean => at === code.minus || at === code.question || at === code.colon;
