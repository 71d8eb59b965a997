// A replica of an operator with leader election, in a process whose wall clock jumps: node clock-replica.mjs KUBECONFIG IDENTITY LEASE-MS
import { ConfigMap } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { defineController, defineManager, startManager } from "@kubewright/runtime";
import { followParent } from "./jumping-clock.js";

followParent();
const [, , kubeconfig = "", identity = "", lease = ""] = process.argv;
const leaseDuration = Number(lease);
const controller = defineController(ConfigMap, {
  name: "copies",
  namespaces: ["default"],
  labelSelector: "copied=yes",
  owns: [ConfigMap],
  reconcile: async ({ metadata, data = {} }, ctx) => {
    await ctx.apply(ConfigMap, { metadata: { name: `${metadata?.name}-copy`, namespace: "default" }, data });
  },
});
const leaderElection = {
  leaseDuration,
  renewDeadline: leaseDuration * 0.6,
  retryPeriod: leaseDuration * 0.15,
};
const manager = defineManager({ name: "copies", controllers: [controller], leaderElection });
const client = clientFromKubeConfig(await loadKubeConfig({ env: { KUBECONFIG: kubeconfig } }), {
  userAgent: identity,
});
await startManager(manager, { client, namespace: "default", identity, preflight: "off" });
process.stdout.write("started\n");
