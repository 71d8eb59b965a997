// The manager of the operator, around a way to reach members.
import { Pod } from "@kubewright/api";
import { cacheKind, defineManager } from "@kubewright/runtime";
import { labelOfAll } from "./cluster/names.js";
import { etcdBackupController } from "./controllers/etcd-backup.js";
import { type ClusterControllerOptions, etcdClusterController } from "./controllers/etcd-cluster.js";
import { etcdRestoreController } from "./controllers/etcd-restore.js";
import { etcdClusterWebhook } from "./webhooks/etcd-cluster.js";

export const etcdManager = (options: ClusterControllerOptions) =>
  defineManager({
    name: "etcd-operator",
    controllers: [etcdClusterController(options), etcdBackupController(options), etcdRestoreController()],
    webhooks: [etcdClusterWebhook],
    // The pods of members and agents carry this label; others are not cached.
    caches: [cacheKind(Pod, { labelSelector: labelOfAll })],
  });
