// The shell of simulated containers. It runs step by step and says when it waits, so that a container can follow the clock and a
// client's terminal its input. A program it does not know makes it throw an UnknownProgramError: a container runs for ever then.
import type { FileTree } from "./file-tree.js";
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

/** The pause of a program: for a time, or for input. */
export type Pause =
  | { readonly kind: "sleep"; readonly milliseconds: number }
  /** Answered with the next bytes, or with undefined at the end of the input. */
  | { readonly kind: "read" };

/** A program under way; it ends with its exit code. */
export type Steps = Generator<Pause, number, Uint8Array | undefined>;

/** Where a program runs. */
export interface ProgramContext {
  readonly files: FileTree;
  readonly hostname: string;
  readonly variables: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rows and columns of the terminal, where there is one. */
  terminal(): { readonly rows: number; readonly columns: number } | undefined;
  stdout(output: string | Uint8Array): void;
  stderr(output: string | Uint8Array): void;
  /** The piped or redirected input of the program; undefined when it reads the terminal. */
  readonly input: Uint8Array | undefined;
}

/** The program is unknown to the simulation. */
export class UnknownProgramError extends Error {
  override readonly name = "UnknownProgramError";
  readonly program: string;

  constructor(program: string) {
    super(`${program} is not known`);
    this.program = program;
  }
}

const shells: ReadonlySet<string> = new Set(["sh", "bash", "ash", "dash"]);
const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Runs a program with its arguments. */
export function* runCommand(words: readonly string[], context: ProgramContext): Steps {
  const [name = "", ...args] = words;
  if (shells.has(base(name))) return yield* runShell(args, context);
  const program = findProgram(base(name));
  if (!program) throw new UnknownProgramError(name);
  return yield* program(args, context);
}

/** `sh -c SCRIPT [NAME ARGUMENT…]`; a shell that reads its script from elsewhere is not known here. */
function* runShell(args: readonly string[], context: ProgramContext): Steps {
  const flag = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  if (flag === -1) throw new UnknownProgramError("sh");
  const shell = new Shell(context, args.slice(flag + 2));
  if (args.slice(0, flag + 1).some((word) => /^-[a-z]*e/.test(word))) shell.endsOnFailure = true;
  yield* shell.run(args[flag + 1] ?? "");
  return shell.code;
}

export class Shell {
  code = 0;
  isOver = false;
  /** As after `set -e`. */
  endsOnFailure = false;
  readonly #context: ProgramContext;
  readonly #variables: Map<string, string>;
  /** How deep in conditions, whose failures end nothing. */
  #conditions = 0;

  constructor(context: ProgramContext, [name = "sh", ...args]: readonly string[] = []) {
    this.#context = context;
    this.#variables = new Map(context.variables);
    for (const [at, value] of [name, ...args].entries()) this.#variables.set(String(at), value);
    this.#variables.set("#", String(args.length));
    for (const all of ["@", "*"]) this.#variables.set(all, args.join(" "));
  }

  /** Runs a script. What cannot be a script is said, and ends with 2. */
  *run(text: string): Generator<Pause, void, Uint8Array | undefined> {
    let script: Script;
    try {
      script = parseScript(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#context.stderr(`sh: syntax error: ${error.message}\n`);
      this.code = 2;
      return;
    }
    yield* this.#script(script, this.#context);
  }

  *#script(script: Script, context: ProgramContext): Generator<Pause, void, Uint8Array | undefined> {
    for (const [at, { joined, isNegated, commands }] of script.entries()) {
      if (this.isOver) return;
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
      const stream = from === "stdin" ? inputFrom(path, context) : outputTo(path, context, append);
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
    for (const part of word) {
      isQuoted ||= part.isQuoted;
      if (part.kind === "text") {
        fields[fields.length - 1] += part.text;
        continue;
      }
      const value =
        part.kind === "output"
          ? yield* this.#output(part.script, context)
          : yield* this.#variable(part, context);
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

function inputFrom(path: string, { files, stderr }: ProgramContext): Uint8Array | undefined {
  const input = files.read(path);
  if (!input) stderr(`sh: can't open ${path}: no such file\n`);
  return input;
}

function outputTo(
  path: string,
  { files, stdout, stderr }: ProgramContext,
  append: boolean,
): ProgramContext["stdout"] | undefined {
  if (path === "/dev/stdout") return stdout;
  if (path === "/dev/stderr") return stderr;
  if (files.write(path, Buffer.alloc(0), { append }))
    return (written) => void files.write(path, Buffer.from(written), { append: true });
  stderr(`sh: can't create ${path}: Read-only file system\n`);
  return undefined;
}
