// The shell of simulated containers. It runs step by step and says when it waits, so that a container can follow the clock and a
// client's terminal its input. A program it does not know makes it throw an UnknownProgramError: a container runs for ever then.
import { evaluate } from "./arithmetic.js";
import { type Pause, type ProgramContext, type Steps, UnknownProgramError } from "./program.js";
import { findProgram } from "./programs.js";
import {
  type Command,
  type Pipeline,
  parseScript,
  type Redirect,
  type Script,
  UnknownSyntaxError,
  type Word,
} from "./shell-syntax.js";

const shells: ReadonlySet<string> = new Set(["sh", "bash", "ash", "dash"]);
const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Runs a program with its arguments. */
export function* runCommand(words: readonly string[], context: ProgramContext): Steps {
  const [name = "", ...args] = words;
  if (shells.has(base(name))) return yield* runShell(name, args, context);
  const program = findProgram(base(name));
  if (!program) throw new UnknownProgramError(name);
  return yield* program(args, context);
}

/** `sh -c SCRIPT [NAME ARGUMENT…]`; a shell that reads its script from elsewhere is not known here. */
function* runShell(name: string, args: readonly string[], context: ProgramContext): Steps {
  const flag = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  if (flag === -1) throw new UnknownProgramError("sh");
  const [own = name, ...rest] = args.slice(flag + 2);
  const shell = new Shell(context, [own, ...rest]);
  if (args.slice(0, flag + 1).some((word) => /^-[a-z]*e/.test(word))) shell.endsOnFailure = true;
  yield* shell.run(args[flag + 1] ?? "");
  return shell.code;
}

/** Of one word with its values in place: what Linux takes for one argument. */
const mostCharacters = 128 * 1024;
/** A loop is followed for so many rounds in all; what it does after them nobody sees. */
const mostRounds = 1000;

export class Shell {
  code = 0;
  isOver = false;
  /** As after `set -e`. */
  endsOnFailure = false;
  readonly #context: ProgramContext;
  readonly #variables: Map<string, string>;
  /** How deep in conditions, whose failures end nothing. */
  #conditions = 0;
  #rounds = 0;
  /** How many loops `break` or `continue` is on its way out of. */
  #leaving: { readonly how: "break" | "continue"; loops: number } | undefined;

  constructor(context: ProgramContext, [name = "sh", ...args]: readonly string[] = []) {
    this.#context = context;
    this.#variables = new Map(context.variables);
    for (const [at, value] of [name, ...args].entries()) this.#variables.set(String(at), value);
    this.#variables.set("#", String(args.length));
    for (const all of ["@", "*"]) this.#variables.set(all, args.join(" "));
  }

  get #name(): string {
    return this.#variables.get("0") ?? "sh";
  }

  /** Runs a script. What cannot be a script is said, and ends with 2. */
  *run(text: string): Generator<Pause, void, Uint8Array | undefined> {
    let script: Script;
    try {
      script = parseScript(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#context.stderr(`${this.#name}: syntax error: ${error.message}\n`);
      this.code = 2;
      return;
    }
    yield* this.#script(script, this.#context);
  }

  *#script(script: Script, context: ProgramContext): Generator<Pause, void, Uint8Array | undefined> {
    for (const [at, { joined, isNegated, commands }] of script.entries()) {
      if (this.isOver || this.#leaving) return;
      if (this.#isSkipped(joined)) continue;
      const next = script[at + 1]?.joined;
      const isCondition = isNegated || next === "&&" || next === "||";
      this.#conditions += isCondition ? 1 : 0;
      yield* this.#pipeline(commands, context);
      this.#conditions -= isCondition ? 1 : 0;
      if (isNegated && !this.isOver) this.code = this.code === 0 ? 1 : 0;
      if (!isCondition) this.#endOnFailure();
    }
  }

  #isSkipped(joined: Pipeline["joined"]): boolean {
    return joined === "&&" ? this.code !== 0 : joined === "||" && this.code === 0;
  }

  #endOnFailure(): void {
    if (this.code !== 0 && this.endsOnFailure && this.#conditions === 0) this.isOver = true;
  }

  *#pipeline(
    commands: readonly Command[],
    context: ProgramContext,
  ): Generator<Pause, void, Uint8Array | undefined> {
    let input = context.input;
    for (const [at, command] of commands.entries()) {
      const isLast = at === commands.length - 1;
      const output: Buffer[] = [];
      const stdout = isLast
        ? context.stdout
        : (written: string | Uint8Array) => void output.push(Buffer.from(written));
      yield* this.#command(command, { ...context, input, stdout });
      if (!isLast) input = Buffer.concat(output);
    }
  }

  *#command(command: Command, context: ProgramContext): Generator<Pause, void, Uint8Array | undefined> {
    if (command.kind === "unknown") throw new UnknownSyntaxError(command.why);
    const redirected = yield* this.#redirected(command.redirects, context);
    if (!redirected) {
      this.code = 1;
      return;
    }
    if (command.kind === "simple") yield* this.#simple(command, redirected);
    else if (command.kind === "group") yield* this.#script(command.body, redirected);
    else if (command.kind === "while") yield* this.#while(command, redirected);
    else if (command.kind === "for") yield* this.#for(command, redirected);
    else yield* this.#if(command, redirected);
  }

  *#if(
    { branches, otherwise }: Extract<Command, { kind: "if" }>,
    context: ProgramContext,
  ): Generator<Pause, void, Uint8Array | undefined> {
    for (const { condition, body } of branches) {
      this.#conditions += 1;
      yield* this.#script(condition, context);
      this.#conditions -= 1;
      if (this.isOver) return;
      if (this.code === 0) return yield* this.#script(body, context);
    }
    this.code = 0;
    if (otherwise) yield* this.#script(otherwise, context);
  }

  *#while(
    { condition, isUntil, body }: Extract<Command, { kind: "while" }>,
    context: ProgramContext,
  ): Generator<Pause, void, Uint8Array | undefined> {
    let code = 0;
    for (;;) {
      this.#conditions += 1;
      yield* this.#script(condition, context);
      this.#conditions -= 1;
      if (this.isOver || this.#hasLeft()) return;
      if ((this.code === 0) === isUntil) break;
      yield* this.#round(body, context);
      if (this.isOver || this.#hasLeft()) return;
      code = this.code;
    }
    this.code = code;
  }

  *#for(
    { variable, words, body }: Extract<Command, { kind: "for" }>,
    context: ProgramContext,
  ): Generator<Pause, void, Uint8Array | undefined> {
    this.code = 0;
    for (const value of yield* this.#expandAll(words, context)) {
      this.#variables.set(variable, value);
      yield* this.#round(body, context);
      if (this.isOver || this.#hasLeft()) return;
    }
  }

  *#round(body: Script, context: ProgramContext): Generator<Pause, void, Uint8Array | undefined> {
    if (++this.#rounds > mostRounds) throw new UnknownSyntaxError(`a loop of over ${mostRounds} rounds`);
    yield* this.#script(body, context);
  }

  /** Whether the loop is left; `continue` of its own goes on with the next round. */
  #hasLeft(): boolean {
    const leaving = this.#leaving;
    if (!leaving) return false;
    leaving.loops -= 1;
    if (leaving.loops > 0) return true;
    this.#leaving = undefined;
    return leaving.how === "break";
  }

  *#simple(
    { assignments, words }: Extract<Command, { kind: "simple" }>,
    context: ProgramContext,
  ): Generator<Pause, void, Uint8Array | undefined> {
    const [name, ...args] = yield* this.#expandAll(words, context);
    const values = new Map<string, string>();
    for (const { name: variable, value } of assignments)
      values.set(variable, (yield* this.#expand(value, context)).join(" "));
    if (name === undefined) {
      for (const [variable, value] of values) this.#variables.set(variable, value);
      this.code = 0;
      return;
    }
    if (this.#own(name, args)) return;
    const variables = new Map([...this.#variables, ...values]);
    const command = name === "exec" || name === "command" ? args : [name, ...args];
    this.code = yield* runCommand(command, { ...context, variables });
    if (name === "exec") this.isOver = true;
  }

  /** Runs a shell built-in; false when the name is a program's. */
  #own(name: string, args: readonly string[]): boolean {
    switch (name) {
      case "exit":
      case "return":
        this.code = exitCodeOf(args[0], this.code);
        this.isOver = true;
        return true;
      case "break":
      case "continue":
        this.#leaving = { how: name, loops: Math.max(1, Number(args[0] ?? 1) || 1) };
        break;
      case "export":
      case "readonly":
      case "local":
        for (const each of args) this.#assign(each);
        break;
      case "unset":
        for (const each of args) this.#variables.delete(each);
        break;
      case "set":
        if (args.some((word) => /^-[a-z]*e/.test(word))) this.endsOnFailure = true;
        if (args.includes("+e")) this.endsOnFailure = false;
        break;
      default:
        return false;
    }
    this.code = 0;
    return true;
  }

  #assign(text: string): void {
    const at = text.indexOf("=");
    if (at !== -1) this.#variables.set(text.slice(0, at), text.slice(at + 1));
  }

  /** Where a command reads and writes; undefined when a file cannot be had. */
  *#redirected(
    redirects: readonly Redirect[],
    context: ProgramContext,
  ): Generator<Pause, ProgramContext | undefined, Uint8Array | undefined> {
    let inner = context;
    for (const { from, to, append } of redirects) {
      if (to === "stdout" || to === "stderr") {
        inner = { ...inner, [from]: inner[to] };
        continue;
      }
      const path = (yield* this.#expand(to, context)).join(" ");
      const stream =
        from === "stdin" ? inputFrom(path, this.#name, context) : outputTo(path, this.#name, context, append);
      if (stream === undefined) return undefined;
      inner = { ...inner, [from === "stdin" ? "input" : from]: stream };
    }
    return inner;
  }

  *#expandAll(
    words: readonly Word[],
    context: ProgramContext,
  ): Generator<Pause, string[], Uint8Array | undefined> {
    const found: string[] = [];
    for (const word of words) found.push(...(yield* this.#expand(word, context)));
    return found;
  }

  /** A word with its values in place: one word where everything was quoted, else as many as there are. */
  *#expand(word: Word, context: ProgramContext): Generator<Pause, string[], Uint8Array | undefined> {
    const fields: string[] = [""];
    let isQuoted = false;
    let size = 0;
    for (const part of word) {
      isQuoted ||= part.isQuoted;
      if (part.kind === "text") {
        fields[fields.length - 1] += part.text;
        continue;
      }
      const value = yield* this.#value(part, context);
      size += value.length;
      if (size > mostCharacters) throw new UnknownSyntaxError(`a word of over ${mostCharacters} characters`);
      if (part.isQuoted) {
        fields[fields.length - 1] += value;
        continue;
      }
      const [first = "", ...more] = value.split(/\s+/);
      fields[fields.length - 1] += first;
      fields.push(...more);
    }
    return isQuoted || fields.length > 1 ? fields : fields.filter((field) => field !== "");
  }

  *#value(
    part: Exclude<Word[number], { kind: "text" }>,
    context: ProgramContext,
  ): Generator<Pause, string, Uint8Array | undefined> {
    if (part.kind === "output") return yield* this.#output(part.script, context);
    if (part.kind === "variable") return yield* this.#variable(part, context);
    const value = evaluate(part.expression, (name) => this.#variables.get(name));
    if (value === undefined) throw new UnknownSyntaxError(`"${part.expression}" is not known`);
    return String(value);
  }

  *#variable(
    { name, fallback }: Extract<Word[number], { kind: "variable" }>,
    context: ProgramContext,
  ): Generator<Pause, string, Uint8Array | undefined> {
    if (name === "?") return String(this.code);
    if (name === "$") return "1";
    const value = this.#variables.get(name) ?? "";
    if (value !== "" || !fallback) return value;
    return (yield* this.#expand(fallback, context)).join(" ");
  }

  *#output(script: Script, context: ProgramContext): Generator<Pause, string, Uint8Array | undefined> {
    const output: Buffer[] = [];
    const stdout = (written: string | Uint8Array): void => void output.push(Buffer.from(written));
    yield* this.#script(script, { ...context, stdout });
    return Buffer.concat(output).toString().replace(/\n+$/, "");
  }
}

const exitCodeOf = (text: string | undefined, last: number): number =>
  text === undefined ? last : Number.isInteger(Number(text)) ? Number(text) & 255 : 2;

function inputFrom(path: string, shell: string, { files, stderr }: ProgramContext): Uint8Array | undefined {
  const input = files.read(path);
  if (!input) stderr(`${shell}: can't open ${path}: no such file\n`);
  return input;
}

function outputTo(
  path: string,
  shell: string,
  { files, stdout, stderr }: ProgramContext,
  append: boolean,
): ProgramContext["stdout"] | undefined {
  if (path === "/dev/stdout") return stdout;
  if (path === "/dev/stderr") return stderr;
  if (files.write(path, Buffer.alloc(0), { append }))
    return (written) => void files.write(path, Buffer.from(written), { append: true });
  stderr(`${shell}: can't create ${path}: Read-only file system\n`);
  return undefined;
}
