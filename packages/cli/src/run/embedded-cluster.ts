// A cluster in this process for the operator of a project, and a kubeconfig so that kubectl can join in.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cluster } from "@kubewright/cluster";

export interface EmbeddedCluster {
  readonly cluster: Cluster;
  readonly url: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Starts it; `kubeconfig` is written when it can be reached and removed at its end. */
export async function startEmbedded(root: string, dataDir?: string | undefined): Promise<EmbeddedCluster> {
  const { startCluster } = await import("@kubewright/cluster");
  const cluster = await startCluster({ dataDir });
  const { url, kubeconfig: text } = await cluster.listen();
  const kubeconfig = join(root, ".kubewright", "kubeconfig");
  mkdirSync(dirname(kubeconfig), { recursive: true });
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  return {
    cluster,
    url,
    kubeconfig,
    async close() {
      await cluster.close();
      rmSync(kubeconfig, { force: true });
    },
  };
}
