// JSON pointers (RFC 6901), read a part at a time: one may have a million parts, and nothing is that deep.

/** The parts of a pointer, first to last. Text before the first slash is ignored. */
export class JsonPointer {
  readonly #path: string;
  readonly #end: number;
  #from: number;

  constructor(path: string) {
    this.#path = path;
    this.#from = path.indexOf("/") + 1;
    this.#end = path.lastIndexOf("/");
  }

  /** The next part but the last; undefined when there are no more. */
  next(): string | undefined {
    const from = this.#from;
    if (from > this.#end) return undefined;
    const to = this.#path.indexOf("/", from);
    this.#from = to + 1;
    return unescaped(this.#path.slice(from, to));
  }

  /** The last part; undefined where there is none at all. */
  get last(): string | undefined {
    return this.#end < 0 ? undefined : unescaped(this.#path.slice(this.#end + 1));
  }
}

const unescaped = (part: string): string =>
  part.includes("~") ? part.replace(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~")) : part;
