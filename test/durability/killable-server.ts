// A server process: built once from the sources, started on a directory, killed without warning.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Agent, type Dispatcher, request } from "undici";

/** Bundles the server into a folder. */
export async function buildServer(folder: string): Promise<string> {
  const outfile = join(folder, "server.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("server.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["kubewright-source"],
    // Some of what is bundled asks for modules the old way.
    banner: {
      js: 'import { createRequire as forBundled } from "node:module"; const require = forBundled(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
}

/** What a server says of itself when it is ready. */
interface Hello {
  readonly url: string;
  readonly authority: string;
  readonly torn?: { readonly file: string; readonly offset: number; readonly bytes: number } | undefined;
}

export class KillableServer {
  readonly hello: Hello;
  readonly #child: ChildProcess;
  readonly #agent: Agent;

  private constructor(child: ChildProcess, hello: Hello) {
    this.#child = child;
    this.hello = hello;
    this.#agent = new Agent({ connect: { ca: hello.authority }, connections: 24 });
  }

  static async start(program: string, directory: string): Promise<KillableServer> {
    const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    for await (const line of createInterface({ input: child.stdout }))
      return new KillableServer(child, JSON.parse(line));
    throw new Error(`the server did not start: ${errors}`);
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
