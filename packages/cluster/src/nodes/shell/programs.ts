// The programs of simulated containers: enough to look around, to leave files on volumes and to end in some way.
import { evaluate } from "./arithmetic.js";
import { type ProgramContext, type Steps, UnknownProgramError } from "./program.js";
import { column, count, head } from "./text-programs.js";

type Program = (args: readonly string[], context: ProgramContext) => Steps;

/** A program that never waits. */
const instant = (run: (args: readonly string[], context: ProgramContext) => number | undefined): Program =>
  // biome-ignore lint/correctness/useYield: it ends before there is anything to wait for.
  function* (args, context) {
    return run(args, context) ?? 0;
  };

const saying = (text: (context: ProgramContext) => string): Program =>
  instant((_, context) => {
    context.stdout(`${text(context)}\n`);
    return 0;
  });

/** Programs without a visible effect in the simulation, which end with exit code 0. */
const quiet =
  "basename cd chmod chown cut dd df dirname du find grep install ln ps rmdir sed sort stat sync tar tr uname uniq which".split(
    " ",
  );

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...quiet.map((name): [string, Program] => [name, instant(() => 0)]),
  [":", instant(() => 0)],
  ["true", instant(() => 0)],
  ["false", instant(() => 1)],
  ["echo", instant(echo)],
  ["printf", instant(format)],
  ["cat", concatenate],
  ["tee", instant(tee)],
  ["touch", instant(touch)],
  ["mkdir", instant(makeFolders)],
  ["rm", instant(remove)],
  ["cp", instant((args, context) => copy(args, context))],
  ["mv", instant(move)],
  ["ls", instant(list)],
  ["test", instant((args, context) => (isTrue(args, context) ? 0 : 1))],
  ["[", instant((args, context) => (isTrue(args.slice(0, -1), context) ? 0 : 1))],
  ["[[", instant(doubleTest)],
  ["expr", instant(expression)],
  ["id", instant(identity)],
  ["env", instant(printEnvironment)],
  ["printenv", instant(printVariables)],
  ["hostname", saying(({ hostname }) => hostname)],
  ["pwd", saying(() => "/")],
  ["whoami", saying(({ user }) => (user.uid === 0 ? "root" : String(user.uid)))],
  ["date", saying((context) => new Date(context.now()).toUTCString())],
  ["stty", instant(terminal)],
  ["sleep", nap],
  ["mount", saying(() => "cgroup2 on /sys/fs/cgroup type cgroup2 (ro,nosuid,nodev,noexec,relatime)")],
  ["tail", tail],
  ["head", instant(head)],
  ["wc", instant(count)],
  ["awk", instant(column)],
]);

/** The names of programs with output, for messages. */
export const programNames: readonly string[] = [...programs.keys()].filter(
  (name) => !quiet.includes(name) && /^[a-z]/.test(name),
);

export const findProgram = (name: string): Program | undefined => programs.get(name);

const paths = (args: readonly string[]): readonly string[] => args.filter((word) => !word.startsWith("-"));

function echo(args: readonly string[], { stdout }: ProgramContext): undefined {
  const isBare = args[0] === "-n";
  const isEscaped = args[0] === "-e";
  const text = args.slice(isBare || isEscaped ? 1 : 0).join(" ");
  stdout(`${isEscaped ? unescaped(text) : text}${isBare ? "" : "\n"}`);
}

const unescaped = (text: string): string =>
  text.replace(/\\([ntr\\])/g, (_, sign: string) => ({ n: "\n", t: "\t", r: "\r" })[sign] ?? "\\");

function format([text = "", ...values]: readonly string[], { stdout }: ProgramContext): undefined {
  let next = 0;
  stdout(
    unescaped(text).replace(/%([sd%])/g, (_, sign: string) => (sign === "%" ? "%" : (values[next++] ?? ""))),
  );
}

function* concatenate(args: readonly string[], context: ProgramContext): Steps {
  const files = paths(args);
  if (files.length === 0) {
    if (context.input) context.stdout(context.input);
    else
      for (let chunk = yield { kind: "read" }; chunk; chunk = yield { kind: "read" }) context.stdout(chunk);
    return 0;
  }
  let code = 0;
  for (const path of files) {
    const bytes = context.files.read(path);
    if (bytes) context.stdout(bytes);
    else {
      context.stderr(`cat: can't open '${path}': No such file or directory\n`);
      code = 1;
    }
  }
  return code;
}

function tee(args: readonly string[], { files, input, stdout }: ProgramContext): undefined {
  const bytes = input ?? Buffer.alloc(0);
  const append = args.includes("-a");
  for (const path of paths(args)) files.write(path, bytes, { append });
  stdout(bytes);
}

function makeFolders(args: readonly string[], { files }: ProgramContext): undefined {
  for (const path of paths(args)) files.makeFolder(path);
}

function touch(args: readonly string[], { files, stderr }: ProgramContext): number {
  for (const path of paths(args)) {
    if (files.write(path, Buffer.alloc(0), { append: true })) continue;
    stderr(`touch: ${path}: Read-only file system\n`);
    return 1;
  }
  return 0;
}

function remove(args: readonly string[], { files, stderr }: ProgramContext): number {
  const isForced = args.some((word) => /^-\w*f/.test(word));
  const missing = paths(args).filter((path) => !files.remove(path));
  if (missing.length === 0 || isForced) return 0;
  stderr(`rm: can't remove '${missing[0]}': No such file or directory\n`);
  return 1;
}

function copy(args: readonly string[], { files, stderr }: ProgramContext): number {
  const [from = "", to = ""] = paths(args);
  const bytes = files.read(from);
  const target = files.isFolder(to) ? `${to}/${from.slice(from.lastIndexOf("/") + 1)}` : to;
  if (bytes && files.write(target, bytes, { append: false })) return 0;
  stderr(`cp: can't stat '${from}': No such file or directory\n`);
  return 1;
}

function move(args: readonly string[], context: ProgramContext): number {
  const code = copy(args, context);
  if (code === 0) context.files.remove(paths(args)[0] ?? "");
  return code;
}

function list(args: readonly string[], { files, stdout, stderr }: ProgramContext): number {
  for (const path of paths(args)) {
    const names = files.list(path) ?? (files.read(path) ? [path] : undefined);
    if (!names) {
      stderr(`ls: ${path}: No such file or directory\n`);
      return 1;
    }
    stdout(names.map((name) => `${name}\n`).join(""));
  }
  return 0;
}

const comparisons: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "-eq": (a, b) => Number(a) === Number(b),
  "-ne": (a, b) => Number(a) !== Number(b),
  "-gt": (a, b) => Number(a) > Number(b),
  "-ge": (a, b) => Number(a) >= Number(b),
  "-lt": (a, b) => Number(a) < Number(b),
  "-le": (a, b) => Number(a) <= Number(b),
};

function isTrue(args: readonly string[], context: ProgramContext): boolean {
  const or = args.lastIndexOf("-o");
  if (or > 0) return isTrue(args.slice(0, or), context) || isTrue(args.slice(or + 1), context);
  const and = args.lastIndexOf("-a");
  if (and > 0) return isTrue(args.slice(0, and), context) && isTrue(args.slice(and + 1), context);
  const [first = "", second, third = ""] = args;
  if (first === "!") return !isTrue(args.slice(1), context);
  if (args.length <= 1) return first !== "";
  if (args.length === 2) return isFile(first, second ?? "", context);
  const compare = Object.hasOwn(comparisons, second ?? "") ? comparisons[second ?? ""] : undefined;
  return compare?.(first, third) ?? false;
}

/** Patterns, and conditions joined within the brackets, are not known. */
function doubleTest(args: readonly string[], context: ProgramContext): number {
  const words = args.slice(0, -1);
  if (args.at(-1) !== "]]" || words.some((word) => word === "=~" || /[*?]/.test(word)))
    throw new UnknownProgramError("[[");
  return isTrue(words, context) ? 0 : 1;
}

function expression(args: readonly string[], { stdout }: ProgramContext): number {
  const value = evaluate(args.map((word) => (word === "=" ? "==" : word)).join(" "), () => undefined);
  if (value === undefined) throw new UnknownProgramError("expr");
  stdout(`${value}\n`);
  return value === 0 ? 1 : 0;
}

/** `id` says all, `id -u` and `id -g` a number. */
function identity(args: readonly string[], { user, stdout }: ProgramContext): undefined {
  const named = (id: number): string => (id === 0 ? "0(root)" : String(id));
  const groups = [...new Set([user.gid, ...user.groups])];
  if (args.includes("-u")) stdout(`${user.uid}\n`);
  else if (args.includes("-g")) stdout(`${user.gid}\n`);
  else if (args.includes("-G")) stdout(`${groups.join(" ")}\n`);
  else stdout(`uid=${named(user.uid)} gid=${named(user.gid)} groups=${groups.map(named).join(",")}\n`);
}

function isFile(question: string, path: string, { files }: ProgramContext): boolean {
  switch (question) {
    case "-n":
      return path !== "";
    case "-z":
      return path === "";
    case "-d":
      return files.isFolder(path);
    case "-s":
      return (files.read(path)?.length ?? 0) > 0;
    case "-f":
      return files.read(path) !== undefined;
    case "-e":
    case "-r":
    case "-w":
    case "-x":
      return files.read(path) !== undefined || files.isFolder(path);
    default:
      return false;
  }
}

/** All but the parameters of the shell itself, `$1` and `$?`. */
const exported = ({ variables }: ProgramContext): readonly (readonly [string, string])[] =>
  [...variables].filter(([name]) => !/^(\d+|\W)$/.test(name));

function printEnvironment(_: readonly string[], context: ProgramContext): undefined {
  context.stdout(
    exported(context)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
}

function printVariables(names: readonly string[], context: ProgramContext): number {
  if (names.length === 0) printEnvironment(names, context);
  for (const name of names) {
    const value = context.variables.get(name);
    if (value === undefined) return 1;
    context.stdout(`${value}\n`);
  }
  return 0;
}

/** `stty size` says rows and columns. */
function terminal([question]: readonly string[], context: ProgramContext): number {
  const size = context.terminal();
  if (question === "size" && size) context.stdout(`${size.rows} ${size.columns}\n`);
  if (size) return 0;
  context.stderr("stty: standard input: Inappropriate ioctl for device\n");
  return 1;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function* nap([duration = ""]: readonly string[], { stderr }: ProgramContext): Steps {
  const [, number, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)([smhd]?)$/.exec(duration) ?? [];
  if (duration === "infinity" || duration === "inf") {
    yield { kind: "sleep", milliseconds: Number.POSITIVE_INFINITY };
  } else if (number === undefined) {
    stderr(`sleep: invalid number '${duration}'\n`);
    return 1;
  } else {
    yield { kind: "sleep", milliseconds: Number(number) * (units[unit || "s"] ?? 1000) };
  }
  return 0;
}

/** `tail -f` is what containers without work of their own do; it never ends. */
function* tail(args: readonly string[]): Steps {
  if (args.some((word) => /^-[a-zA-Z]*[fF]|^--follow/.test(word)))
    yield { kind: "sleep", milliseconds: Number.POSITIVE_INFINITY };
  return 0;
}
