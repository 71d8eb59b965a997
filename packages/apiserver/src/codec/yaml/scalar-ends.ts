// Where the scalars of a YAML text end. They may be as long as the whole text, so that looking for it pauses now and then.
import type { Steps } from "@kubewright/api/steps";
import { code, isEmpty, isFlowIndicator, isMarkerAt } from "./lexer-characters.js";

/** Characters that take less than a millisecond. */
const stride = 32 * 1024;

/** Where a scalar begins, and how many columns its lines must be indented by. */
export interface ScalarStart {
  readonly text: string;
  readonly at: number;
  readonly indent: number;
}

/** The end of what is quoted. What is not closed goes on to the end of the text. */
export function* endOfQuoted(start: ScalarStart): Steps<number> {
  const closing = yield* closingQuote(start);
  return 1 + (closing < start.text.length ? yield* endOfIndented(start, closing) : closing);
}

function* closingQuote({ text, at: from }: ScalarStart): Steps<number> {
  const quote = text.charCodeAt(from);
  const isDouble = quote === code.doubleQuote;
  let pause = from + stride;
  for (let at = from + 1; at < text.length; at++) {
    const next = text.charCodeAt(at);
    if (next === quote) {
      if (isDouble || text.charCodeAt(at + 1) !== quote) return at;
      at++;
    } else if (isDouble && next === code.backslash) at++;
    if (at > pause) {
      pause = at + stride;
      yield;
    }
  }
  return text.length;
}

/** A line that stands too far left is no part of what is quoted. */
function* endOfIndented(start: ScalarStart, end: number): Steps<number> {
  const { text, at } = start;
  let pause = at + stride;
  for (let line = text.indexOf("\n", at); line !== -1 && line < end; ) {
    const goesOn = continues(start, line + 1);
    if (goesOn === -1) return text.charCodeAt(line - 1) === code.return ? line - 2 : line - 1;
    line = text.indexOf("\n", goesOn);
    if (goesOn > pause) {
      pause = goesOn + stride;
      yield;
    }
  }
  return end;
}

/** Where a scalar goes on in the line that begins at a place; -1 where the line is no part of it. */
function continues({ text, indent }: ScalarStart, at: number): number {
  if (indent === 0) return isMarkerAt(text, at) ? -1 : at;
  let to = at;
  while (text.charCodeAt(to) === code.space) to++;
  if (text.charCodeAt(to) === code.return && text.charCodeAt(to + 1) === code.newline) return to + 1;
  return text.charCodeAt(to) === code.newline || to - at >= indent ? to : -1;
}

/** The end of a scalar without quotes, which never takes in blanks that nothing follows. */
export function* endOfPlain(start: ScalarStart, inFlow: boolean): Steps<number> {
  const { text } = start;
  let end = start.at;
  let pause = start.at + stride;
  for (let at = start.at; at < text.length && at !== -1; ) {
    if (at > pause) {
      pause = at + stride;
      yield;
    }
    const next = text.charCodeAt(at);
    if (isEmpty(next)) {
      // A carriage return without a line feed is a character like others, apart from what may follow it.
      if (next === code.return && text.charCodeAt(at + 1) !== code.newline) end = at + 1;
      at = afterBlank(start, at, inFlow);
    } else if (endsPlain(text, at, next, inFlow)) break;
    else end = ++at;
  }
  return end;
}

const endsPlain = (text: string, at: number, next: number, inFlow: boolean): boolean =>
  next === code.colon ? endsIndicator(text.charCodeAt(at + 1), inFlow) : inFlow && isFlowIndicator(next);

/** Where the scalar may go on after a blank or a line break; -1 where it does not. */
function afterBlank(start: ScalarStart, at: number, inFlow: boolean): number {
  const { text } = start;
  const isReturn = text.charCodeAt(at) === code.return;
  const isBreak = isReturn && text.charCodeAt(at + 1) === code.newline;
  const last = isBreak ? at + 1 : at;
  const next = text.charCodeAt(last + 1);
  if (next === code.hash || (inFlow && isFlowIndicator(next))) return -1;
  if (text.charCodeAt(last) !== code.newline) return last + 1;
  const goesOn = continues(start, last + 1);
  // The blank before what the line begins with may be one before a comment.
  return goesOn === -1 ? -1 : Math.max(last, goesOn - 2) + 1;
}

/** Whether a character after an indicator makes it one. */
export const endsIndicator = (next: number, inFlow: boolean): boolean =>
  isEmpty(next) || (inFlow && isFlowIndicator(next));

/** What stands behind `|` or `>`. */
export interface BlockHeader {
  /** Columns beyond those of the key, less one; -1 where none are given. */
  readonly indent: number;
  readonly keepsBlanks: boolean;
}

/** The end of a block, and how many columns its lines are indented by. */
export function* endOfBlock(
  start: ScalarStart,
  header: BlockHeader,
): Steps<{ readonly end: number; readonly indent: number }> {
  const { column, before } = firstLine(start);
  if (column < start.indent) {
    const end = endOfLines(start, before, column, header.keepsBlanks);
    return { end, indent: start.indent };
  }
  const indent = header.indent === -1 ? column : header.indent + Math.max(1, start.indent);
  const last = yield* lastLine({ ...start, indent }, before);
  return { end: endOfLines(start, last, column, header.keepsBlanks), indent };
}

/** How far the first line that is not blank is indented, and where the line break before it is. */
function firstLine({ text, at: from }: ScalarStart): { readonly column: number; readonly before: number } {
  let before = from - 1;
  let column = 0;
  for (let at = from; ; at++) {
    const next = text.charCodeAt(at);
    if (next === code.space) column++;
    else if (next === code.newline) {
      before = at;
      column = 0;
    } else if (next !== code.return || text.charCodeAt(at + 1) !== code.newline) return { column, before };
  }
}

/** The line break at the end of the last line that belongs to the block. */
function* lastLine(start: ScalarStart, before: number): Steps<number> {
  const { text } = start;
  let pause = before + stride;
  for (let line = before; ; ) {
    const goesOn = continues(start, line + 1);
    if (goesOn === -1) return line;
    line = text.indexOf("\n", goesOn);
    if (line === -1) return text.length;
    if (line > pause) {
      pause = line + stride;
      yield;
    }
  }
}

/** Blank lines at the end are left out, unless they are kept; tabs there are taken in, to be complained about. */
function endOfLines({ text, at: from }: ScalarStart, last: number, column: number, keeps: boolean): number {
  let at = last + 1;
  while (text.charCodeAt(at) === code.space) at++;
  if (text.charCodeAt(at) === code.tab) {
    while (at < text.length && isEmpty(text.charCodeAt(at))) at++;
    return at;
  }
  let end = last;
  while (!keeps) {
    let to = end - 1;
    if (text.charCodeAt(to) === code.return) to--;
    const lastCharacter = to;
    while (text.charCodeAt(to) === code.space) to--;
    if (text.charCodeAt(to) !== code.newline || to < from || to + 1 + column <= lastCharacter) break;
    end = to;
  }
  return end + 1;
}
