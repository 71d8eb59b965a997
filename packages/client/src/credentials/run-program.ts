// Runs a program for what it prints, within limits.

import { spawn } from "node:child_process";
import { isObject } from "@kubewright/api";
import { ConfigError } from "../config-error.js";

export interface ProgramOptions {
  /** What the program is, for messages. */
  readonly what: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How to get the program when it is missing. */
  readonly installHint?: string | undefined;
  /** Gives it the terminal. */
  readonly interactive: boolean;
  readonly timeout: number | undefined;
}

const maxOutput = 4 * 1024 * 1024;

/** What the program prints. A ConfigError says why there is nothing, with the last it complained of. */
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
