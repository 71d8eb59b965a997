// The size of a pattern's program, estimated from the text before it is compiled: counted repetitions are expanded, so that a short text
// can stand for a program of millions of instructions.

/** A group or the whole pattern, as far as it has been read. */
interface Open {
  /** The size of what has been read in it. */
  sum: number;
  /** The part of that which a repetition would repeat. */
  last: number;
}

/** Classes of Unicode are long tables. */
const unicodeClass = 16;

/** About how many instructions the program of a pattern has. Invalid patterns have a size too. */
export function patternSize(source: string): number {
  const open: Open[] = [{ sum: 0, last: 0 }];
  const token = /\\[pP]|\\Q|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]?|\(|\)|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu;
  for (const [text, least, most] of source.matchAll(token)) {
    const here = open.at(-1) ?? { sum: 0, last: 0 };
    if (text === "(") open.push({ sum: 2, last: 0 });
    else if (text === ")") close(open);
    else if (least !== undefined) repeat(here, Number(least), most);
    else if (text === "*" || text === "+" || text === "?" || text === "|") here.sum += 1;
    else add(here, sizeOf(text));
  }
  while (open.length > 1) close(open);
  return open[0]?.sum ?? 0;
}

function sizeOf(text: string): number {
  if (text.startsWith("[")) return 1 + (text.match(/\\[pP]/g)?.length ?? 0) * unicodeClass;
  return /^\\[pP]/.test(text) ? unicodeClass : 1;
}

function add(here: Open, size: number): void {
  here.sum += size;
  here.last = size;
}

function close(open: Open[]): void {
  const closed = open.length > 1 ? open.pop() : undefined;
  const here = open.at(-1);
  if (closed && here) add(here, closed.sum);
}

function repeat(here: Open, least: number, most: string | undefined): void {
  const times = Math.max(least, Number(most || 0));
  const optional = most === undefined ? 0 : times;
  const whole = here.last * Math.max(0, times) + optional;
  here.sum += whole - here.last;
  here.last = whole;
}
