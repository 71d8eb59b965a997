// A whole cluster in real time, and the real kubectl pointed at it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, type ClusterOptions, startCluster } from "@kubewright/cluster";
import type { Kubectl } from "../kubectl/kubectl.js";

export class KubectlCluster {
  readonly cluster: Cluster;
  readonly #command: string;
  readonly #directory = mkdtempSync(join(tmpdir(), "kubewright-kubectl-"));

  private constructor(cluster: Cluster, command: string) {
    this.cluster = cluster;
    this.#command = command;
  }

  static async start({ command }: Kubectl, options: ClusterOptions = {}): Promise<KubectlCluster> {
    const started = new KubectlCluster(await startCluster(options), command);
    const { kubeconfig } = await started.cluster.listen();
    writeFileSync(join(started.#directory, "kubeconfig"), kubeconfig);
    return started;
  }

  /** Runs a command line that must succeed, split at spaces; returns all that it printed. */
  run(line: string, input = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const env = {
        ...process.env,
        KUBECONFIG: join(this.#directory, "kubeconfig"),
        HOME: this.#directory,
      };
      const child = spawn(this.#command, line.split(" "), { env });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString();
        });
      child.once("error", reject);
      child.once("close", (code) =>
        code === 0 ? resolve(output) : reject(new Error(`kubectl ${line} exited with ${code}: ${output}`)),
      );
      child.stdin.end(input);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
