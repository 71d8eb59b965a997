// A program running in a container, with its input and output.
import { type Clock, isObject } from "@kubewright/api";
import { ConnectionError } from "../connection-error.js";
import { statusError } from "../status-error.js";
import type { OpenedSocket } from "../websocket/open-websocket.js";
import { Channels } from "./channels.js";

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** The output and the exit status of a program. */
export interface ExecOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/**
 * A running program. Read `stdout` and `stderr` both, or leave one out of the request: while one is not read, the other
 * waits too.
 */
export class ExecSession {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** The exit code. Rejects when the program could not be run or the connection broke. */
  readonly exitCode: Promise<number>;
  readonly #channels: Channels;
  readonly #what: string;

  constructor(what: string, socket: OpenedSocket, clock: Clock) {
    this.#what = what;
    this.#channels = new Channels(socket, clock);
    this.stdout = this.#channels.read(channel.stdout);
    this.stderr = this.#channels.read(channel.stderr);
    this.exitCode = this.#outcome(this.#channels.read(channel.error));
    this.exitCode.catch(() => undefined);
  }

  /** Sends input to the program. */
  write(data: string | Uint8Array): Promise<void> {
    return this.#channels.write(channel.stdin, typeof data === "string" ? Buffer.from(data) : data);
  }

  /** Ends the program's input, so that it sees the end of file. */
  async end(): Promise<void> {
    if (await this.#channels.end(channel.stdin)) return;
    throw new ConnectionError(
      `${this.#what}: this server cannot end the input alone (before Kubernetes 1.30)`,
      "malformed",
    );
  }

  /** Says how large the terminal is, for a program that runs in one. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void> {
    const message = JSON.stringify({ Width: size.width, Height: size.height });
    return this.#channels.write(channel.resize, Buffer.from(message));
  }

  /** Everything the program prints, once it has ended. */
  async output(): Promise<ExecOutput> {
    const [stdout, stderr, exitCode] = await Promise.all([
      text(this.stdout),
      text(this.stderr),
      this.exitCode,
    ]);
    return { stdout, stderr, exitCode };
  }

  /** Leaves the program; it may go on running. */
  close(): void {
    this.#channels.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#channels.ended.catch(() => undefined);
  }

  async #outcome(error: AsyncIterable<Uint8Array>): Promise<number> {
    const status = await text(error).catch((cause: unknown) => {
      throw new ConnectionError(`${this.#what}: the connection broke`, "closed", { cause });
    });
    if (status === "")
      throw new ConnectionError(`${this.#what}: the connection ended before the program`, "closed");
    return exitCodeOf(this.#what, status);
  }
}

/** Reads the Status that ends a session. */
function exitCodeOf(what: string, text: string): number {
  const status = parse(text);
  if (!isObject(status)) throw new ConnectionError(`${what}: ${text.slice(0, 300)}`, "malformed");
  if (status["status"] === "Success") return 0;
  const details = isObject(status["details"]) ? status["details"] : {};
  const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
  const exit = causes.find((cause) => isObject(cause) && cause["reason"] === "ExitCode");
  const code = isObject(exit) ? Number(exit["message"]) : Number.NaN;
  if (status["reason"] === "NonZeroExitCode" && Number.isInteger(code)) return code;
  throw statusError(what, 500, { kind: "Status", ...status });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function text(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
