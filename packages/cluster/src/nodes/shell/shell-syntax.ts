// Reads shell scripts as far as a simulation needs them: lists with `;`, `&&` and `||`, pipelines, `if`, loops, groups,
// redirections, quotes, variables, `$(…)` and `$((…))`. Unknown syntax is an UnknownSyntaxError, because the effect of such a
// script is not known.

/** Part of a word. What was quoted is never split into several words. */
export type Part =
  | { readonly kind: "text"; readonly text: string; readonly isQuoted: boolean }
  | {
      readonly kind: "variable";
      readonly name: string;
      /** After `:-`, for a variable that is unset or empty. */
      readonly fallback: Word | undefined;
      readonly isQuoted: boolean;
    }
  | { readonly kind: "output"; readonly script: Script; readonly isQuoted: boolean }
  | { readonly kind: "arithmetic"; readonly expression: string; readonly isQuoted: boolean };

export type Word = readonly Part[];

export interface Redirect {
  readonly from: "stdin" | "stdout" | "stderr";
  /** A file, or the other stream of a program (`2>&1`). */
  readonly to: Word | "stdout" | "stderr";
  readonly append: boolean;
}

export type Command =
  | {
      readonly kind: "simple";
      readonly assignments: readonly { readonly name: string; readonly value: Word }[];
      readonly words: readonly Word[];
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly condition: Script; readonly body: Script }[];
      readonly otherwise: Script | undefined;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "while";
      readonly condition: Script;
      /** `until`: goes on while the condition fails. */
      readonly isUntil: boolean;
      readonly body: Script;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "for";
      readonly variable: string;
      readonly words: readonly Word[];
      readonly body: Script;
      readonly redirects: readonly Redirect[];
    }
  | { readonly kind: "group"; readonly body: Script; readonly redirects: readonly Redirect[] }
  /** The effect of the script is not known from here on. */
  | { readonly kind: "unknown"; readonly why: string; readonly redirects: readonly Redirect[] };

export interface Pipeline {
  /** How it depends on the one before it. */
  readonly joined: ";" | "&&" | "||";
  readonly isNegated: boolean;
  readonly commands: readonly Command[];
}

export type Script = readonly Pipeline[];

/** The script may be right, and is beyond this shell. */
export class UnknownSyntaxError extends Error {
  override readonly name = "UnknownSyntaxError";
}

/** Parses a script; throws a SyntaxError when it cannot be one. Where it goes beyond this shell, an unknown command is the last. */
export function parseScript(text: string): Script {
  const parser = new Parser(text);
  const known: Pipeline[] = [];
  try {
    parser.script([], known);
    parser.expectEnd();
  } catch (error) {
    if (!(error instanceof UnknownSyntaxError)) throw error;
    const commands = [{ kind: "unknown" as const, why: error.message, redirects: [] }];
    known.push({ joined: parser.joined, isNegated: false, commands });
  }
  return known;
}

const beyond = new Set(["case", "function", "select"]);
const reserved = new Set(["then", "elif", "else", "fi", "do", "done", "}", "esac"]);
const operator = /&&|\|\||;;|[;\n&|()]/y;
const redirection = /([012]?)(>>|>&|>|<<|<&|<)\s*/y;
const deepest = 50;

class Parser {
  /** How the command that is read depends on the one before it. */
  joined: Pipeline["joined"] = ";";
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  expectEnd(): void {
    this.#skip(true);
    if (this.#at < this.#text.length) throw new SyntaxError(`unexpected "${this.#text[this.#at]}"`);
  }

  /** Reads until one of the words that end it, which is left. What was read is in `found` even when the next cannot be. */
  script(ends: readonly string[], found: Pipeline[] = []): Script {
    if (++this.#depth > deepest) throw new UnknownSyntaxError("nested too deeply");
    let joined: Pipeline["joined"] = ";";
    for (;;) {
      this.#skip(true);
      if (this.#at >= this.#text.length || this.#isAt(ends)) break;
      if (this.#depth === 1) this.joined = joined;
      const pipeline = this.#pipeline(joined);
      const next = this.#operator();
      if (next === "&" || next === ";;") throw new UnknownSyntaxError(`"${next}" is not known`);
      found.push(pipeline);
      if (next === "&&" || next === "||") joined = next;
      else if (next === undefined || next === ";" || next === "\n") joined = ";";
      else if (next === ")") {
        this.#at -= 1;
        break;
      } else throw new UnknownSyntaxError(`"${next}" is not known`);
    }
    this.#depth -= 1;
    return found;
  }

  #pipeline(joined: Pipeline["joined"]): Pipeline {
    let isNegated = false;
    while (this.#take("!")) isNegated = !isNegated;
    const commands = [this.#command()];
    for (;;) {
      this.#skip(false);
      if (this.#text[this.#at] !== "|" || this.#text[this.#at + 1] === "|") break;
      this.#at += 1;
      this.#skip(true);
      commands.push(this.#command());
    }
    return { joined, isNegated, commands };
  }

  #command(): Command {
    this.#skip(false);
    if (this.#text[this.#at] === "(") {
      this.#at += 1;
      const body = this.script([]);
      this.#expect(")");
      return { kind: "group", body, redirects: this.#redirects() };
    }
    if (this.#take("{")) {
      const body = this.script(["}"]);
      this.#expect("}");
      return { kind: "group", body, redirects: this.#redirects() };
    }
    if (this.#take("if")) return this.#if();
    if (this.#take("while")) return this.#while(false);
    if (this.#take("until")) return this.#while(true);
    if (this.#take("for")) return this.#for();
    return this.#simple();
  }

  #if(): Command {
    const branches: { condition: Script; body: Script }[] = [];
    let otherwise: Script | undefined;
    do {
      const condition = this.script(["then"]);
      this.#expect("then");
      branches.push({ condition, body: this.script(["elif", "else", "fi"]) });
    } while (this.#take("elif"));
    if (this.#take("else")) otherwise = this.script(["fi"]);
    this.#expect("fi");
    return { kind: "if", branches, otherwise, redirects: this.#redirects() };
  }

  #while(isUntil: boolean): Command {
    const condition = this.script(["do"]);
    return { kind: "while", condition, isUntil, body: this.#body(), redirects: this.#redirects() };
  }

  /** `for NAME in WORD…`; without words, or with a C expression, it is not known. */
  #for(): Command {
    this.#skip(false);
    const [variable] = /^[A-Za-z_]\w*/.exec(this.#text.slice(this.#at)) ?? [];
    if (variable === undefined) throw new UnknownSyntaxError("this form of a loop is not known");
    this.#at += variable.length;
    this.#skip(true);
    if (!this.#take("in")) throw new UnknownSyntaxError("a loop without words is not known");
    const words: Word[] = [];
    for (this.#skip(false); ; this.#skip(false)) {
      const word = this.#word();
      if (!word) break;
      words.push(word);
    }
    this.#operator();
    return { kind: "for", variable, words, body: this.#body(), redirects: this.#redirects() };
  }

  #body(): Script {
    this.#expect("do");
    const body = this.script(["done"]);
    this.#expect("done");
    return body;
  }

  #simple(): Command {
    const assignments: { name: string; value: Word }[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#skip(false);
      const redirect = this.#redirect();
      if (redirect) {
        redirects.push(redirect);
        continue;
      }
      const start = this.#at;
      const word = this.#word();
      if (!word) break;
      const raw = this.#text.slice(start, this.#at);
      if (words.length === 0 && beyond.has(raw)) throw new UnknownSyntaxError(`"${raw}" is not known`);
      if (words.length === 0 && reserved.has(raw)) throw new SyntaxError(`unexpected "${raw}"`);
      const assigned = words.length === 0 ? assignmentOf(word) : undefined;
      if (assigned) assignments.push(assigned);
      else words.push(word);
    }
    if (this.#text[this.#at] === "(") throw new UnknownSyntaxError("functions are not known");
    if (assignments.length === 0 && words.length === 0 && redirects.length === 0)
      throw new SyntaxError(`unexpected ${JSON.stringify(this.#text[this.#at] ?? "end of script")}`);
    return { kind: "simple", assignments, words, redirects };
  }

  #redirects(): readonly Redirect[] {
    const found: Redirect[] = [];
    for (;;) {
      this.#skip(false);
      const redirect = this.#redirect();
      if (!redirect) return found;
      found.push(redirect);
    }
  }

  #redirect(): Redirect | undefined {
    redirection.lastIndex = this.#at;
    const [all, number, sign] = redirection.exec(this.#text) ?? [];
    if (all === undefined) return undefined;
    if (sign === "<<" || sign === "<&") throw new UnknownSyntaxError(`"${sign}" is not known`);
    this.#at += all.length;
    const from = sign === "<" ? "stdin" : number === "2" ? "stderr" : "stdout";
    const to = this.#word();
    if (!to) throw new SyntaxError("a redirection names no file");
    const [part] = to;
    if (sign === ">&" && part?.kind === "text" && (part.text === "1" || part.text === "2"))
      return { from, to: part.text === "1" ? "stdout" : "stderr", append: false };
    return { from, to, append: sign === ">>" };
  }

  #word(): Word | undefined {
    const parts: Part[] = [];
    const start = this.#at;
    for (let each = this.#text[this.#at]; each !== undefined; each = this.#text[this.#at]) {
      if (/[\s;&|()<>]/.test(each)) break;
      if (each === "#" && this.#at === start) break;
      parts.push(...this.#part(each));
    }
    return this.#at === start ? undefined : parts;
  }

  #part(first: string): readonly Part[] {
    if (first === "'") {
      const end = this.#text.indexOf("'", this.#at + 1);
      if (end === -1) throw new SyntaxError("unterminated quoted string");
      const text = this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
      return [{ kind: "text", text, isQuoted: true }];
    }
    if (first === '"') return this.#doubleQuoted();
    if (first === "$") return [this.#dollar(false)];
    if (first === "`") throw new UnknownSyntaxError("backticks are not known");
    if (first === "\\") {
      const text = this.#text[this.#at + 1] ?? "";
      this.#at += 2;
      return text === "\n" ? [] : [{ kind: "text", text, isQuoted: true }];
    }
    const [text = first] = /^[^\s;&|()<>'"\\$`]+/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += text.length;
    return [{ kind: "text", text, isQuoted: false }];
  }

  #doubleQuoted(): readonly Part[] {
    const parts: Part[] = [{ kind: "text", text: "", isQuoted: true }];
    this.#at += 1;
    for (let each = this.#text[this.#at]; each !== '"'; each = this.#text[this.#at]) {
      if (each === undefined) throw new SyntaxError("unterminated quoted string");
      if (each === "$") parts.push(this.#dollar(true));
      else if (each === "`") throw new UnknownSyntaxError("backticks are not known");
      else {
        const isEscape = each === "\\" && /["\\$`\n]/.test(this.#text[this.#at + 1] ?? "");
        const text = isEscape ? (this.#text[this.#at + 1] ?? "") : each;
        this.#at += isEscape ? 2 : 1;
        parts.push({ kind: "text", text, isQuoted: true });
      }
    }
    this.#at += 1;
    return parts;
  }

  #dollar(isQuoted: boolean): Part {
    const rest = this.#text.slice(this.#at + 1);
    if (rest.startsWith("((")) return this.#arithmetic(isQuoted);
    if (rest.startsWith("(")) {
      this.#at += 2;
      const script = this.script([]);
      this.#expect(")");
      return { kind: "output", script, isQuoted };
    }
    const [plain] = /^(?:[A-Za-z_]\w*|[?$#@*0-9])/.exec(rest) ?? [];
    if (plain !== undefined) {
      this.#at += 1 + plain.length;
      return { kind: "variable", name: plain, fallback: undefined, isQuoted };
    }
    if (rest.startsWith("{")) return this.#braced(rest, isQuoted);
    this.#at += 1;
    return { kind: "text", text: "$", isQuoted };
  }

  #arithmetic(isQuoted: boolean): Part {
    const end = this.#text.indexOf("))", this.#at);
    if (end === -1) throw new SyntaxError('"))" is missing');
    const expression = this.#text.slice(this.#at + 3, end);
    this.#at = end + 2;
    return { kind: "arithmetic", expression, isQuoted };
  }

  #braced(rest: string, isQuoted: boolean): Part {
    const [all, name, other] = /^\{([A-Za-z_]\w*|[?$#@*0-9])(?::?-([^}]*))?\}/.exec(rest) ?? [];
    if (all === undefined || name === undefined)
      throw new UnknownSyntaxError(`"$${rest.slice(0, 20)}" is not known`);
    this.#at += 1 + all.length;
    const fallback = other === undefined ? undefined : new Parser(`"${other}"`).#word();
    return { kind: "variable", name, fallback, isQuoted };
  }

  #operator(): string | undefined {
    this.#skip(false);
    operator.lastIndex = this.#at;
    const [found] = operator.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Blanks, lines that go on, comments, and where it says so line ends and empty commands. */
  #skip(lines: boolean): void {
    const blank = lines ? /(?:\s|\\\n|#[^\n]*(?:\n|$))*/y : /(?:[ \t\r]|\\\n|#[^\n]*)*/y;
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  #isAt(words: readonly string[]): boolean {
    return words.some((word) => this.#startsWith(word));
  }

  #startsWith(word: string): boolean {
    const next = this.#text[this.#at + word.length];
    return this.#text.startsWith(word, this.#at) && (next === undefined || /[\s;&|()<>]/.test(next));
  }

  #take(word: string): boolean {
    this.#skip(false);
    if (!this.#startsWith(word)) return false;
    this.#at += word.length;
    return true;
  }

  #expect(word: string): void {
    this.#skip(true);
    if (!this.#text.startsWith(word, this.#at)) throw new SyntaxError(`"${word}" is missing`);
    this.#at += word.length;
  }
}

function assignmentOf(word: Word): { name: string; value: Word } | undefined {
  const [first, ...rest] = word;
  if (first?.kind !== "text" || first.isQuoted) return undefined;
  const [all, name] = /^([A-Za-z_]\w*)=/.exec(first.text) ?? [];
  if (all === undefined || name === undefined) return undefined;
  return { name, value: [{ ...first, text: first.text.slice(all.length) }, ...rest] };
}
