// Runs the real kubectl against an embedded cluster.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster } from "@kubewright/cluster";

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Ends the command after this long; what it printed by then is the result. */
  readonly stopAfter?: { readonly text: string } | undefined;
}

/** The version of the kubectl on this machine; undefined when there is none. */
export function kubectlVersion(): string | undefined {
  const { status, stdout } = spawnSync("kubectl", ["version", "--client", "-o", "json"], {
    encoding: "utf8",
  });
  if (status !== 0) return undefined;
  const parsed = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
  return parsed.clientVersion.gitVersion;
}

/** A cluster with a TLS port, and kubectl pointed at it. */
export class KubectlFixture {
  readonly cluster: Cluster;
  readonly directory = mkdtempSync(join(tmpdir(), "kubewright-kubectl-"));
  readonly #kubeconfig = join(this.directory, "kubeconfig");

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  static async start(): Promise<KubectlFixture> {
    const fixture = new KubectlFixture(await startCluster({ nodes: 0, controllers: "none" }));
    const { kubeconfig } = await fixture.cluster.listen();
    writeFileSync(fixture.#kubeconfig, kubeconfig);
    return fixture;
  }

  /** Runs a command line; arguments are split at spaces. */
  run(command: string, options: RunOptions = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const child = spawn("kubectl", ["--cache-dir", join(this.directory, "cache"), ...command.split(" ")], {
        env: { ...process.env, KUBECONFIG: this.#kubeconfig, HOME: this.directory, ...options.env },
      });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk: Buffer) => {
        stdout += chunk.toString();
        if (options.stopAfter && stdout.includes(options.stopAfter.text)) child.kill("SIGINT");
      });
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.once("error", reject);
      child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
      child.stdin.end(options.input ?? "");
    });
  }

  /** Runs a command that must succeed; returns what it printed. */
  async ok(command: string, options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, options);
    if (code !== 0) throw new Error(`kubectl ${command} exited with ${code}: ${stderr || stdout}`);
    return stdout;
  }

  async close(): Promise<void> {
    await this.cluster.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
