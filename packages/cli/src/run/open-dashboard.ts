// The dashboard over a cluster of this process. It is loaded only when it is wanted: most commands start without it.
import { isObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ClusterControls, Dashboard } from "@kubewright/dashboard";

/** `server` is the address shown at the top of the page. */
export async function openDashboard(
  client: Client,
  server: string,
  controls: ClusterControls,
): Promise<Dashboard> {
  const { serveDashboard } = await import("@kubewright/dashboard");
  const answer = await client.raw("/version");
  const version = isObject(answer) ? String(answer["gitVersion"]) : "";
  return serveDashboard({ client, server, version, controls });
}
