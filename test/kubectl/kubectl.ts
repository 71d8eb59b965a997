// Runs the real kubectl against an embedded cluster.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Cluster, type ClusterOptions, startCluster } from "@kubewright/cluster";

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What `stopAfter.use` came to. */
  readonly after?: unknown;
}

export interface RunOptions {
  readonly input?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Ends the command once it has printed the text, and `use` has run. */
  readonly stopAfter?:
    | { readonly text: string; readonly use?: ((printed: string) => Promise<unknown>) | undefined }
    | undefined;
}

/** A kubectl on this machine. */
export interface Kubectl {
  readonly command: string;
  readonly version: string;
}

/** The kubectl on the path, and the oldest and newest that stand beside it under names such as `kubectl.1.33`. */
export function findKubectls(): Kubectl[] {
  const found = spawnSync("which", ["kubectl"], { encoding: "utf8" }).stdout.trim();
  if (found === "") return [];
  const directory = dirname(realpathSync(found));
  const siblings = readdirSync(directory)
    .filter((name) => /^kubectl\.1\.\d+$/.test(name))
    .sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
  const chosen = [siblings.at(0), siblings.at(-1)]
    .filter((name) => name !== undefined)
    .map((name) => join(directory, name));
  return [found, ...new Set(chosen)].flatMap((command) => {
    const { status, stdout } = spawnSync(command, ["version", "--client", "-o", "json"], {
      encoding: "utf8",
    });
    if (status !== 0) return [];
    const parsed = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
    return [{ command, version: parsed.clientVersion.gitVersion }];
  });
}

/** A cluster with a TLS port, and kubectl pointed at it. */
export class KubectlFixture {
  readonly cluster: Cluster;
  readonly directory = mkdtempSync(join(tmpdir(), "kubewright-kubectl-"));
  readonly #kubeconfig = join(this.directory, "kubeconfig");
  readonly #kubectl: Kubectl;

  private constructor(cluster: Cluster, kubectl: Kubectl) {
    this.cluster = cluster;
    this.#kubectl = kubectl;
  }

  /** On a cluster that is an API server and nothing else, unless told. */
  static async start(
    kubectl: Kubectl,
    options: ClusterOptions = { nodes: 0, controllers: "none" },
  ): Promise<KubectlFixture> {
    const fixture = new KubectlFixture(await startCluster(options), kubectl);
    const { kubeconfig } = await fixture.cluster.listen();
    writeFileSync(fixture.#kubeconfig, kubeconfig);
    return fixture;
  }

  /** Runs a command line; arguments are split at spaces. */
  run(command: string, options: RunOptions = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const child = spawn(
        this.#kubectl.command,
        ["--cache-dir", join(this.directory, "cache"), ...command.split(" ")],
        {
          env: { ...process.env, KUBECONFIG: this.#kubeconfig, HOME: this.directory, ...options.env },
        },
      );
      let stdout = "";
      let stderr = "";
      let after: Promise<unknown> | undefined;
      child.stdout.on("data", (chunk: Buffer) => {
        stdout += chunk.toString();
        if (options.stopAfter && after === undefined && stdout.includes(options.stopAfter.text)) {
          after = Promise.resolve(options.stopAfter.use?.(stdout)).finally(() => child.kill("SIGINT"));
        }
      });
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.once("error", reject);
      child.once("close", (code) => {
        Promise.resolve(after).then(
          (value) => resolve({ code: code ?? -1, stdout, stderr, after: value }),
          reject,
        );
      });
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
