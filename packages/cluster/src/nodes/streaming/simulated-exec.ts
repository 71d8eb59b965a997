// Programs that clients start in a simulated container: run by the same shell as the container's own, with the client's input
// and output.
import { type Clock, sleep } from "@kubewright/api";
import type { ExecRequest } from "../rules/rule.js";
import { type Pause, type ProgramContext, UnknownProgramError } from "../shell/program.js";
import { programNames } from "../shell/programs.js";
import { runCommand, Shell } from "../shell/shell.js";
import { UnknownSyntaxError } from "../shell/shell-syntax.js";
import { hostnameOf, type Surroundings } from "../simulated-volumes.js";
import { typedLines } from "./terminal-lines.js";

const shells: ReadonlySet<string> = new Set(["sh", "bash", "ash", "dash"]);

/** Runs a program and says its exit code. */
export async function execProgram(
  call: ExecRequest,
  surroundings: Surroundings,
  clock: Clock,
): Promise<number> {
  const output = new Output(call);
  const context: ProgramContext = {
    ...surroundings,
    hostname: hostnameOf(call.pod),
    now: () => clock.now(),
    terminal: () => call.size(),
    stdout: (bytes) => output.add("stdout", bytes),
    stderr: (bytes) => output.add("stderr", bytes),
    input: undefined,
  };
  const [name = "", ...args] = call.command;
  const isShell = shells.has(name.slice(name.lastIndexOf("/") + 1));
  const session = new Session(call, output, clock);
  if (isShell && !args.some((word) => /^-[a-z]*c$/.test(word))) return interactive(call, context, session);
  return session.follow(runCommand(call.command, context));
}

/** A shell that reads its commands from the client, line by line. */
async function interactive(call: ExecRequest, context: ProgramContext, session: Session): Promise<number> {
  const shell = new Shell(context);
  if (call.tty) await call.stdout("$ ");
  for await (const line of typedLines(call)) {
    const ending = await session.follow(
      (function* () {
        yield* shell.run(line);
        return shell.code;
      })(),
    );
    shell.code = ending;
    if (shell.isOver) return shell.code;
    if (call.tty) await call.stdout("$ ");
  }
  return shell.code;
}

/** Output that is not yet sent, in order. */
class Output {
  readonly #call: ExecRequest;
  readonly #waiting: { readonly to: "stdout" | "stderr"; readonly bytes: string | Uint8Array }[] = [];

  constructor(call: ExecRequest) {
    this.#call = call;
  }

  add(to: "stdout" | "stderr", bytes: string | Uint8Array): void {
    this.#waiting.push({ to, bytes });
  }

  async send(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await this.#call[next.to](next.bytes);
  }
}

class Session {
  readonly #call: ExecRequest;
  readonly #output: Output;
  readonly #clock: Clock;
  #typed: AsyncIterator<Uint8Array> | undefined;

  constructor(call: ExecRequest, output: Output, clock: Clock) {
    this.#call = call;
    this.#output = output;
    this.#clock = clock;
  }

  /** Runs the steps of a program to their end. */
  async follow(steps: Generator<Pause, number, Uint8Array | undefined>): Promise<number> {
    try {
      for (let step = steps.next(); ; step = steps.next(await this.#answer(step.value))) {
        await this.#output.send();
        if (step.done) return step.value;
      }
    } catch (error) {
      await this.#output.send();
      return this.#failed(error);
    }
  }

  async #answer(pause: Pause): Promise<Uint8Array | undefined> {
    if (pause.kind === "sleep") {
      await sleep(this.#clock, pause.milliseconds, this.#call.signal);
      return undefined;
    }
    this.#typed ??= this.#call.stdin[Symbol.asyncIterator]();
    const { done, value } = await this.#typed.next();
    return done ? undefined : value;
  }

  async #failed(error: unknown): Promise<number> {
    if (this.#call.signal.aborted) return 130;
    const known = `a simulated container has ${programNames.join(", ")}, sh; a rule with "exec" adds others`;
    if (error instanceof UnknownProgramError) {
      await this.#call.stderr(`${error.program}: not found: ${known}\n`);
      return 127;
    }
    if (!(error instanceof UnknownSyntaxError)) throw error;
    await this.#call.stderr(`sh: ${error.message} to the shell of simulated containers\n`);
    return 2;
  }
}
