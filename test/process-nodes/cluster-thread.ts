// Process nodes of a cluster in a thread of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Pod } from "@kubewright/api";
import { clientFromKubeConfig, parseKubeConfig } from "@kubewright/client";
import type { startClusterThread } from "@kubewright/cluster/thread";
import { expect, test } from "vitest";
import { bundle } from "../bundle.js";
import { bundledAgent, eventually, foreignProcesses, type Mode, namespace } from "./process-cluster.js";

/** A thread loads its program from a file, so that both sides are bundled first. */
class ThreadSources {
  readonly #folder = mkdtempSync(join(tmpdir(), "kubewright-thread-"));

  async load(): Promise<{ readonly start: typeof startClusterThread; readonly agent: string }> {
    await bundle({
      entryPoints: ["cluster-thread", "main"].map((name) => `packages/cluster/src/thread/${name}.ts`),
      outdir: this.#folder,
    });
    writeFileSync(join(this.#folder, "package.json"), '{ "type": "module" }');
    const agent = await bundledAgent(this.#folder);
    const module = await import(pathToFileURL(join(this.#folder, "cluster-thread.js")).href);
    return { start: module.startClusterThread, agent };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The time after which a token of ten minutes is a new one, in milliseconds. */
const renewal = 0.8 * 600_000;

export function threadTests({ userNamespace, missing }: Mode): void {
  test.skipIf(missing !== undefined)(
    "in a cluster thread programs run, and tokens in their files are renewed before they expire",
    { timeout: 60_000 },
    async () => {
      const before = foreignProcesses();
      const sources = new ThreadSources();
      const { start, agent } = await sources.load();
      const cluster = await start({ process: { userNamespace, agent, path: process.env["PATH"] }, nodes: 1 });
      expect(cluster.isolation.join()).toContain("namespaces: mount");
      await using client = clientFromKubeConfig(await parseKubeConfig(cluster.kubeconfig, "the thread"));
      const token = { serviceAccountToken: { path: "token", expirationSeconds: 600 } };
      await client.create(Pod, {
        metadata: { name: "p", namespace },
        spec: {
          volumes: [{ name: "token", projected: { sources: [token] } }],
          containers: [
            {
              name: "c",
              image: "busybox",
              command: ["sh", "-c", "exec sleep 1000"],
              volumeMounts: [{ name: "token", mountPath: "/tokens" }],
            },
          ],
        },
      });
      await eventually(
        async () => (await client.get(Pod, "p", { namespace })).status?.phase === "Running",
        () => "the pod does not run",
      );
      const read = async (): Promise<string> => {
        const session = await client.pods.exec("p", ["cat", "/tokens/token"], { namespace });
        return (await session.output()).stdout;
      };
      const first = await read();
      expect(first).toMatch(/^ey/);
      await cluster.controls.advanceTime(renewal + 1000);
      await eventually(
        async () => (await read()) !== first,
        () => "the token in the file is the old one",
      );
      await cluster.close();
      sources.remove();
      await eventually(
        async () => [...foreignProcesses().keys()].every((pid) => before.has(pid)),
        () => "processes are left behind",
      );
    },
  );
}
