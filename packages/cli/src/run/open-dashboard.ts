// The dashboard of a command. It is loaded only when it is wanted: most commands start without it.
import { isObject } from "@kubewright/api";
import {
  type Client,
  clientFromKubeConfig,
  dashboardUserAgent,
  loadKubeConfig,
  resolveContext,
} from "@kubewright/client";
import type { ClusterControls, Dashboard } from "@kubewright/dashboard";

export interface DashboardSettings {
  readonly client: Client;
  /** The address shown at the top of the page. */
  readonly server: string;
  readonly controls?: ClusterControls | undefined;
}

export async function openDashboard({ client, server, controls }: DashboardSettings): Promise<Dashboard> {
  const { serveDashboard } = await import("@kubewright/dashboard");
  const answer = await client.raw("/version");
  const version = isObject(answer) ? String(answer["gitVersion"]) : "";
  return serveDashboard({ client, server, version, controls });
}

/** With a client of its own, that is closed with it. */
export async function openDashboardOn(
  place: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  controls?: ClusterControls,
): Promise<Dashboard> {
  const { kubeconfig: path, context } = place;
  const config = await loadKubeConfig({ path, context, env: process.env });
  const client = clientFromKubeConfig(config, { userAgent: dashboardUserAgent });
  const { server } = resolveContext(config).transport;
  const dashboard = await openDashboard({ client, server, controls });
  return {
    url: dashboard.url,
    addManager: (name, manager) => dashboard.addManager(name, manager),
    async close() {
      await dashboard.close();
      await client.close();
    },
  };
}
