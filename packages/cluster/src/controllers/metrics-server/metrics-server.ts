// Serves what pods and nodes use as `metrics.k8s.io`. The server is a function of this process; here it is registered, and
// sees to it that there are caches to read.
import { APIService, isAlreadyExists, Node, Pod } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { metricsApiName } from "../../metrics/metrics-api.js";
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

/** Registers the group as whoever sets up the cluster. */
export async function installMetricsServer(client: Client): Promise<void> {
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
  };
  const metadata = { name: metricsApiName, labels: { "k8s-app": "metrics-server" } };
  await client.create(APIService, { metadata, spec }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
