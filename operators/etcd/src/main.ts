import { isInCluster } from "@kubewright/client";
import { NetworkAccess } from "./client/etcd-access.js";
import { etcdManager } from "./manager.js";
import { ModelledEtcd } from "./model/modelled-etcd.js";

// Outside a cluster no address of a pod can be reached, but the API server can.
export default etcdManager({
  access: new NetworkAccess({ path: isInCluster(process.env) ? "direct" : "forward" }),
});

/** For clusters whose nodes are simulated, where no etcd runs: members are a model, and every status says so. */
export const simulated = etcdManager({ access: new ModelledEtcd({ now: () => Date.now() }) });
