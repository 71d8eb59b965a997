// The Services of a cluster and the budget that protects its quorum.
import type { PodDisruptionBudget, Service } from "@kubewright/api";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { clusterLabels, placeOf } from "./member-pod.js";
import { clientService, clusterLabel, peerService, ports } from "./names.js";
import { quorumOf } from "./observed.js";

const selectorOf = (cluster: EtcdCluster) => ({ [clusterLabel]: placeOf(cluster).name });

/** Gives members their names. Members that are not ready need theirs most. */
export const peerServiceOf = (cluster: EtcdCluster) =>
  ({
    metadata: { name: peerService(placeOf(cluster).name), labels: clusterLabels(cluster) },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorOf(cluster),
      ports: [
        { name: "client", port: ports.client, targetPort: "client" },
        { name: "peer", port: ports.peer, targetPort: "peer" },
        { name: "metrics", port: ports.metrics, targetPort: "metrics" },
      ],
    },
  }) satisfies Service;

export const clientServiceOf = (cluster: EtcdCluster) =>
  ({
    metadata: { name: clientService(placeOf(cluster).name), labels: clusterLabels(cluster) },
    spec: {
      selector: selectorOf(cluster),
      ports: [{ name: "client", port: ports.client, targetPort: "client" }],
    },
  }) satisfies Service;

/** As many members must stay as are a quorum of those there are. One alone is its quorum, and may be moved only by hand. */
export const budgetOf = (cluster: EtcdCluster, voters: number) =>
  ({
    metadata: { name: placeOf(cluster).name, labels: clusterLabels(cluster) },
    spec: { minAvailable: quorumOf(Math.max(1, voters)), selector: { matchLabels: selectorOf(cluster) } },
  }) satisfies PodDisruptionBudget;
