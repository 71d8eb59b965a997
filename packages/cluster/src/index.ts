export { Cluster, type ClusterOptions, type Endpoint, type ListenOptions, startCluster } from "./cluster.js";
export { type KubeconfigOptions, kubeconfig } from "./kubeconfig.js";
