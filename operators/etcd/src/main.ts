import { isInCluster } from "@kubewright/client";
import { operatorImage, runAgent } from "@kubewright/runtime/agent";
import { runTask } from "./backup/agent.js";
import { NetworkAccess } from "./client/etcd-access.js";
import { etcdManager } from "./manager.js";
import { ModelledEtcd } from "./model/modelled-etcd.js";

const { env } = process;

// The same image is the agent that takes and fetches snapshots.
if (process.argv[2] === "agent") process.exit(await runAgent(env, runTask));

const agentImage = operatorImage(env);

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
