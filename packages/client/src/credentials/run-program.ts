// Runs a program for what it prints, within limits.

import { spawn } from "node:child_process";
import { isObject } from "@kubewright/api";
import { ConfigError } from "../config-error.js";

export interface ProgramOptions {
  /** The description of the program, for messages. */
  readonly what: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The install hint for a missing program. */
  readonly installHint?: string | undefined;
  /** Gives it the terminal. */
  readonly interactive: boolean;
  readonly timeout: number | undefined;
}

const maxOutput = 4 * 1024 * 1024;

/** Returns the output of the program. Throws a ConfigError with the reason and the end of its stderr when it fails. */
export function runProgram(options: ProgramOptions): Promise<string> {
  const { what, command, args, env, interactive, timeout } = options;
  const fail = (problem: string): ConfigError => new ConfigError(`${what} ${command}: ${problem}`);
  return new Promise((resolve, reject) => {
    const stdio = [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "pipe"] as const;
    const child = spawn(command, args, { env: { ...env }, stdio: [...stdio], windowsHide: true });
    const output: Buffer[] = [];
    let size = 0;
    let complaints = "";
    const stop = (error: ConfigError): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(error);
    };
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => stop(fail(`took longer than ${timeout} ms`)), timeout);
    child.stdout?.on("data", (chunk: Buffer) => {
      output.push(chunk);
      size += chunk.length;
      if (size > maxOutput) stop(fail("it prints too much"));
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      complaints = (complaints + chunk.toString("utf8")).slice(-1000);
    });
    child.on("error", (error) => stop(fail(startProblem(error, options.installHint))));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(output).toString("utf8"));
      else reject(fail(`failed with ${signal ?? `exit code ${code}`}${quoted(complaints)}`));
    });
  });
}

function startProblem(error: Error, installHint: string | undefined): string {
  const code = isObject(error) ? error["code"] : undefined;
  if (code !== "ENOENT") return `cannot be started (${code})`;
  return `there is no such program${installHint === undefined ? "" : `; ${installHint}`}`;
}

/** The end of what a program complained of, with anything that could be a token left out. */
function quoted(complaints: string): string {
  const text = complaints
    .replace(/[\w+/=.-]{32,}/g, "…")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? "" : `: ${text.slice(-300)}`;
}
