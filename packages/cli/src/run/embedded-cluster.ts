// A cluster for the operator of a project, in a thread of its own so that its work never delays the operator's, and a kubeconfig so that
// kubectl can join in.
import { join } from "node:path";
import { AdjustableClock } from "@kubewright/api";
import type { ClusterControls } from "@kubewright/cluster";

export interface EmbeddedCluster {
  readonly url: string;
  readonly kubeconfig: string;
  /** For operators on it: it is moved forward together with the cluster's. */
  readonly clock: AdjustableClock;
  readonly controls: ClusterControls;
  close(): Promise<void>;
}

/** Starts the cluster; the kubeconfig is written when the cluster can be reached and deleted when it closes. */
export async function startEmbedded(root: string, dataDir?: string | undefined): Promise<EmbeddedCluster> {
  const [{ KubeconfigFile }, { startClusterThread }] = await Promise.all([
    import("@kubewright/cluster"),
    import("@kubewright/cluster/thread"),
  ]);
  const file = await KubeconfigFile.reserve(join(root, ".kubewright", "kubeconfig"), { orAnother: true });
  const onKubeconfig = (text: string): void => file.write(text);
  const clock = new AdjustableClock();
  const cluster = await startClusterThread({ dataDir }, { onKubeconfig, clock });
  try {
    file.write(cluster.kubeconfig);
    return {
      url: cluster.url,
      kubeconfig: file.path,
      clock,
      controls: cluster.controls,
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
