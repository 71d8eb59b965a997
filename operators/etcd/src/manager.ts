// The manager of the operator, around a way to reach members.
import { defineManager } from "@kubewright/runtime";
import { type ClusterControllerOptions, etcdClusterController } from "./controllers/etcd-cluster.js";
import { etcdClusterWebhook } from "./webhooks/etcd-cluster.js";

export const etcdManager = (options: ClusterControllerOptions) =>
  defineManager({
    name: "etcd-operator",
    controllers: [etcdClusterController(options)],
    webhooks: [etcdClusterWebhook],
  });
