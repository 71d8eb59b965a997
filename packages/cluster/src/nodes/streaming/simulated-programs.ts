// The few programs that a simulated container has, enough to look around in it: its name, its environment, the files of its
// volumes, and a shell over these.
import { type Clock, sleep } from "@kubewright/api";
import type { ExecCall } from "../rules/rule.js";
import { scriptOf, scriptTime } from "../simulated-script.js";
import { expandWord, parseShell } from "./shell-words.js";
import { typedLines } from "./terminal-lines.js";

type Program = (args: readonly string[], call: ExecCall, clock: Clock) => Promise<number>;

const shells: ReadonlySet<string> = new Set(["sh", "bash", "ash", "dash"]);
const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Says its text and ends well. */
const saying =
  (text: (args: readonly string[], call: ExecCall, clock: Clock) => string | Promise<string>): Program =>
  async (args, call, clock) => {
    await call.stdout(`${await text(args, call, clock)}\n`);
    return 0;
  };

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["true", async () => 0],
  ["false", async () => 1],
  ["echo", (args, call) => echo(args, call)],
  ["hostname", saying((_, { pod }) => pod.spec?.hostname ?? pod.metadata?.name ?? "")],
  ["pwd", saying(() => "/")],
  ["whoami", saying(() => "root")],
  ["date", saying((_args, _call, clock) => new Date(clock.now()).toUTCString())],
  ["env", (_, call) => printEnvironment(call)],
  ["printenv", (args, call) => printVariables(args, call)],
  ["cat", (args, call) => concatenate(args, call)],
  ["ls", (args, call) => list(args, call)],
  ["stty", (args, call) => terminal(args, call)],
  ["sleep", (args, call, clock) => nap(args, call, clock)],
]);

/** Runs a program and says its exit code. */
export async function runProgram(command: readonly string[], call: ExecCall, clock: Clock): Promise<number> {
  const [name = "", ...args] = command;
  if (shells.has(base(name))) return runShell(args, call, clock);
  const program = programs.get(base(name));
  if (program) return program(args, call, clock);
  await call.stderr(
    `${name}: not found: a simulated container has ${[...programs.keys(), "sh"].join(", ")}; a rule with "exec" adds others\n`,
  );
  return 127;
}

/** `stty size` says rows and columns. */
async function terminal([question]: readonly string[], call: ExecCall): Promise<number> {
  const size = call.size();
  if (question === "size" && size) await call.stdout(`${size.rows} ${size.columns}\n`);
  if (size) return 0;
  await call.stderr("stty: standard input: Inappropriate ioctl for device\n");
  return 1;
}

async function runShell(args: readonly string[], call: ExecCall, clock: Clock): Promise<number> {
  const flag = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  const shell = new Shell(call, clock);
  if (flag !== -1) return (await shell.run(args[flag + 1] ?? "")).code;
  if (call.tty) await call.stdout("$ ");
  for await (const line of typedLines(call)) {
    if ((await shell.run(line)).isOver) return shell.code;
    if (call.tty) await call.stdout("$ ");
  }
  return shell.code;
}

class Shell {
  code = 0;
  readonly #call: ExecCall;
  readonly #clock: Clock;

  constructor(call: ExecCall, clock: Clock) {
    this.#call = call;
    this.#clock = clock;
  }

  /** Runs a line; tells whether it ended the shell. */
  async run(line: string): Promise<{ readonly code: number; readonly isOver: boolean }> {
    try {
      const variables = await this.#call.environment();
      for (const { joined, words } of parseShell(line)) {
        if (joined === "&&" ? this.code !== 0 : joined === "||" && this.code === 0) continue;
        const [name = "", ...args] = words.map((word) =>
          expandWord(word, { ...variables, "?": String(this.code) }),
        );
        if (name === "exit") {
          this.code = args[0] === undefined ? this.code : Number(args[0]) & 255;
          return { code: this.code, isOver: true };
        }
        this.code =
          name === ":" || name === "set" ? 0 : await runProgram([name, ...args], this.#call, this.#clock);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      await this.#call.stderr(`sh: syntax error: ${error.message}\n`);
      this.code = 2;
    }
    return { code: this.code, isOver: false };
  }
}

async function echo(args: readonly string[], call: ExecCall): Promise<number> {
  const isBare = args[0] === "-n";
  await call.stdout(`${args.slice(isBare ? 1 : 0).join(" ")}${isBare ? "" : "\n"}`);
  return 0;
}

async function printEnvironment(call: ExecCall): Promise<number> {
  const variables = Object.entries(await call.environment());
  await call.stdout(variables.map(([name, value]) => `${name}=${value}\n`).join(""));
  return 0;
}

async function printVariables(names: readonly string[], call: ExecCall): Promise<number> {
  if (names.length === 0) return printEnvironment(call);
  const variables = await call.environment();
  for (const name of names) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) return 1;
    await call.stdout(`${value}\n`);
  }
  return 0;
}

async function concatenate(paths: readonly string[], call: ExecCall): Promise<number> {
  if (paths.length === 0) {
    for await (const chunk of call.stdin) await call.stdout(chunk);
    return 0;
  }
  let code = 0;
  for (const path of paths) {
    const bytes =
      path === "/etc/hostname" ? Buffer.from(`${call.pod.metadata?.name}\n`) : await call.readFile(path);
    if (bytes) await call.stdout(bytes);
    else {
      await call.stderr(`cat: can't open '${path}': No such file or directory\n`);
      code = 1;
    }
  }
  return code;
}

async function list(args: readonly string[], call: ExecCall): Promise<number> {
  const paths = args.filter((word) => !word.startsWith("-"));
  for (const path of paths) {
    const names = (await call.listFiles(path)) ?? ((await call.readFile(path)) ? [path] : undefined);
    if (!names) {
      await call.stderr(`ls: ${path}: No such file or directory\n`);
      return 1;
    }
    await call.stdout(names.map((name) => `${name}\n`).join(""));
  }
  return 0;
}

async function nap(args: readonly string[], { signal }: ExecCall, clock: Clock): Promise<number> {
  const time = scriptTime(scriptOf({ name: "", command: ["sleep", ...args] }));
  return sleep(clock, time, signal).then(
    () => 0,
    () => 130,
  );
}
