// A cluster in this process for the operator of a project, and a kubeconfig so that kubectl can join in.
import { join } from "node:path";
import type { Cluster } from "@kubewright/cluster";

export interface EmbeddedCluster {
  readonly cluster: Cluster;
  readonly url: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Starts the cluster; the kubeconfig is written when the cluster can be reached and deleted when it closes. */
export async function startEmbedded(root: string, dataDir?: string | undefined): Promise<EmbeddedCluster> {
  const { KubeconfigFile, startCluster } = await import("@kubewright/cluster");
  const file = await KubeconfigFile.reserve(join(root, ".kubewright", "kubeconfig"), { orAnother: true });
  const cluster = await startCluster({ dataDir });
  try {
    const { url, kubeconfig } = await cluster.listen();
    file.write(kubeconfig);
    return {
      cluster,
      url,
      kubeconfig: file.path,
      async close() {
        await cluster.close();
        file.remove();
      },
    };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
