import { Pod } from "@kubewright/api";
import { clientFromKubeConfig, isInCluster, loadKubeConfig } from "@kubewright/client";
import { runAgent } from "./backup/agent.js";
import { NetworkAccess } from "./client/etcd-access.js";
import { etcdManager } from "./manager.js";
import { ModelledEtcd } from "./model/modelled-etcd.js";

const { env } = process;

// The same image is the agent that takes and fetches snapshots.
if (process.argv[2] === "agent") process.exit(await runAgent(env));

// Outside a cluster no address of a pod can be reached, but the API server can; and another kubeconfig may be that of another cluster.
const isDirect = isInCluster(env) && !process.argv.some((arg) => /^--kubeconfig(=|$)/.test(arg));

export default etcdManager({
  access: new NetworkAccess({ path: isDirect ? "direct" : "forward" }),
  agentImage,
});

/** For clusters whose nodes are simulated, where no etcd runs: members are a model, and every status says so. */
export const simulated = etcdManager({ access: new ModelledEtcd({ now: () => Date.now() }), agentImage });

/** The kinds whose work is done by pods of this operator's image; `make run` has none and leaves their samples out. */
export const needOwnImage = ["EtcdBackup", "EtcdRestore"];

/** The image of this operator: as OPERATOR_IMAGE says, or that of its own pod. */
async function agentImage(): Promise<string> {
  const { OPERATOR_IMAGE: given, POD_NAME: name, POD_NAMESPACE: namespace } = env;
  if (given) return given;
  if (!name || !namespace)
    throw new Error(
      "backups and restores need the operator's image: set OPERATOR_IMAGE where it runs outside a pod",
    );
  const client = clientFromKubeConfig(await loadKubeConfig({ env }));
  try {
    const { spec } = await client.get(Pod, name, { namespace });
    return (
      spec?.containers.find((each) => each.name === "manager")?.image ?? spec?.containers[0]?.image ?? ""
    );
  } finally {
    await client.close();
  }
}
