// What `kubewright torture` does to this operator: with a model in place of etcd, whose members live on while the operator crashes.
import { objectsScenario, type TortureSettings } from "@kubewright/testing";
import { etcdManager } from "./manager.js";
import { ModelledEtcd } from "./model/modelled-etcd.js";

const database = {
  apiVersion: "etcd.database.coreos.com/v1alpha1",
  kind: "EtcdCluster",
  metadata: { name: "db" },
  spec: { replicas: 1, storage: "1Gi" },
};
const agentImage = async () => "etcd-operator:test";
const outside = (now: () => number) => {
  const access = new ModelledEtcd({ now, catchUp: 2_000 });
  return () => etcdManager({ access, agentImage });
};

const inStatus = (field: string): string => `EtcdCluster.status.${field}`;

export default {
  manager: outside(() => 0)(),
  outside,
  nodes: 3,
  rest: "5m",
  scenario: objectsScenario([database], {
    changed: [{ ...database, spec: { ...database.spec, replicas: 3 } }],
  }),
  // The scheduler draws the nodes of members.
  ignore: ["*.node"],
  // Who leads, and which members there are, is a matter of the past: one that was replaced had another name.
  byHistory: [
    "Pod",
    "PersistentVolumeClaim",
    ...["leader", "members", "clusterId", "lastScaleTime", "load"].map(inStatus),
  ],
  // Autoscaling measures the load all the time.
  periodicWrites: ["/etcdclusters/db/status"],
} satisfies TortureSettings;
