// A cluster in a process of its own, from sources, for tests of what crosses processes and of what a kill leaves behind.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../bundle.js";
import { bundledAgent } from "./process-cluster.js";

const root = join(import.meta.dirname, "../..");

export class OtherProcess {
  readonly kubeconfig: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, kubeconfig: string) {
    this.#child = child;
    this.#folder = folder;
    this.kubeconfig = kubeconfig;
    this.pid = child.pid ?? 0;
  }

  /** Starts a cluster with the options given as JavaScript. */
  static async start(options: string): Promise<OtherProcess> {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-other-process-"));
    const agent = await bundledAgent(folder);
    const program = join(folder, "cluster.mjs");
    const contents = `import { startCluster } from "@kubewright/cluster";
      import { ProcessRuntime } from "@kubewright/cluster/process";
      const agent = ${JSON.stringify(agent)};
      const cluster = await startCluster(${options});
      const { kubeconfig } = await cluster.listen();
      process.send({ kubeconfig });
      process.on("message", async () => { await cluster.close(); process.exit(0); });
      void ProcessRuntime; void agent;`;
    await bundle({ stdin: { contents, resolveDir: root }, outfile: program });
    const child = spawn(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const kubeconfig = await new Promise<string>((resolve, reject) => {
      child.once("message", (message: { readonly kubeconfig: string }) => resolve(message.kubeconfig));
      child.once("exit", (code) => reject(new Error(`the cluster ended with ${code}`)));
    });
    return new OtherProcess(child, folder, kubeconfig);
  }

  /** Ends it in order, or without a word. */
  async stop(how: "close" | "kill" = "close"): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (how === "kill") this.#child.kill("SIGKILL");
    else this.#child.send("close");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
