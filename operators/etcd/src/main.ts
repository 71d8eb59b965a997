import { isInCluster } from "@kubewright/client";
import { NetworkAccess } from "./client/etcd-access.js";
import { etcdManager } from "./manager.js";

// Outside a cluster no address of a pod can be reached, but the API server can.
export default etcdManager({
  access: new NetworkAccess({ path: isInCluster(process.env) ? "direct" : "forward" }),
});
