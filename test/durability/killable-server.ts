// A server process: built once from the sources, started on a directory, killed without warning.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Agent, type Dispatcher, request } from "undici";
import { bundleProgram } from "../bundle.js";

/** Bundles the server into a folder. */
export const buildServer = (folder: string): Promise<string> =>
  buildProgram(new URL("server.ts", import.meta.url), folder);

/** Bundles a program into a folder. */
export const buildProgram = (source: URL, folder: string): Promise<string> =>
  bundleProgram(fileURLToPath(source), folder);

/** What a server says of itself when it is ready. */
interface Hello {
  readonly url: string;
  readonly authority: string;
  readonly torn?: { readonly file: string; readonly offset: number; readonly bytes: number } | undefined;
}

export interface StartOptions {
  /** A command that runs another, such as `unshare`, and its arguments. */
  readonly within?: readonly string[];
  /** Bytes of changes after which the server writes a snapshot. */
  readonly snapshotAfter?: number;
  /** Connections that requests share. */
  readonly connections?: number;
}

export class KillableServer {
  readonly hello: Hello;
  readonly #child: ChildProcess;
  readonly #agent: Agent;

  readonly #errors: () => string;

  private constructor(child: ChildProcess, hello: Hello, errors: () => string, connections: number) {
    this.#child = child;
    this.#errors = errors;
    this.hello = hello;
    this.#agent = new Agent({ connect: { ca: hello.authority }, connections });
  }

  static async start(
    program: string,
    directory: string,
    { within = [], snapshotAfter = 100_000, connections = 24 }: StartOptions = {},
  ): Promise<KillableServer> {
    const [command = "", ...args] = [...within, process.execPath, program, directory, String(snapshotAfter)];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    for await (const line of createInterface({ input: child.stdout }))
      return new KillableServer(child, JSON.parse(line), () => errors, connections);
    throw new Error(`the server did not start: ${errors}`);
  }

  /** Everything that the server has written to its standard error. */
  get errors(): string {
    return this.#errors();
  }

  /** Undefined while the process runs. */
  get exitCode(): number | undefined {
    return this.#child.exitCode ?? undefined;
  }

  /** The process that was started: the server itself, or the command it runs within. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Ends the process as `kill -9` does. */
  async kill(): Promise<void> {
    const over = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await over;
    await this.#agent.destroy();
  }

  send(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<Dispatcher.ResponseData> {
    return request(`${this.hello.url}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        authorization: "Bearer token",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
