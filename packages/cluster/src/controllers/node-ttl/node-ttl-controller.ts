// Annotates every node with how long its kubelet may use the Secrets and ConfigMaps it has read: longer in larger clusters.
import { Node } from "@kubewright/api";
import { syncController } from "../sync-controller.js";
import { TimeToLive } from "./time-to-live.js";

const annotation = "node.alpha.kubernetes.io/ttl";

export const nodeTtlController = syncController("ttl", (loop, { client }) => {
  const timeToLive = new TimeToLive();
  // Nodes that were there before the cluster grew learn of it with their next change, as in a real cluster.
  const nodes = loop.watch(Node, ({ key }) => [key]);
  return {
    async sync(name) {
      const node = nodes.get(name);
      const seconds = String(timeToLive.secondsFor(nodes.size));
      if (!node || node.metadata?.annotations?.[annotation] === seconds) return undefined;
      await client.patch(Node, name, { merge: { metadata: { annotations: { [annotation]: seconds } } } });
      return undefined;
    },
  };
});
