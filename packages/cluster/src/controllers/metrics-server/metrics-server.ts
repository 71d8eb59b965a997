// Serves what pods and nodes use as `metrics.k8s.io`. The server is a function of this process; here it is registered, and
// sees to it that there are caches to read.
import { APIService, ClusterRole, Node, Pod } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { metricsApiName } from "../../metrics/metrics-api.js";
import { createMissing } from "../../seed/create-missing.js";
import type { BuiltInController } from "../controller.js";

export const metricsServer: BuiltInController = {
  name: "metrics-server",
  async start({ pool }) {
    const leases = [pool.acquire(Pod), pool.acquire(Node)];
    await Promise.all(leases.map(({ informer }) => informer.synced()));
    return {
      close: async () => {
        await Promise.all(leases.map((lease) => lease.release()));
      },
    };
  },
};

/** Users who may view a namespace may read the metrics of its pods. */
const reader: ClusterRole = {
  metadata: {
    name: "system:aggregated-metrics-reader",
    labels: {
      "k8s-app": "metrics-server",
      ...Object.fromEntries(
        ["admin", "edit", "view"].map((role) => [`${ClusterRole.group}/aggregate-to-${role}`, "true"]),
      ),
    },
  },
  rules: [{ apiGroups: ["metrics.k8s.io"], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] }],
};

const registration: APIService = {
  metadata: { name: metricsApiName, labels: { "k8s-app": "metrics-server" } },
  spec: { group: "metrics.k8s.io", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 },
};

/** Registers the APIService and its roles, as the administrator. */
export async function installMetricsServer(client: Client): Promise<void> {
  await createMissing(client, ClusterRole, reader);
  await createMissing(client, APIService, registration);
}
