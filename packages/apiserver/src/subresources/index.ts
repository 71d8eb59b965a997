import type { ResourceBehaviour } from "../registry/built-in-resources.js";
import { bindNamedPod, reviewBinding } from "./binding.js";
import { connectPod, type NodeProxy } from "./connect-pod.js";
import { evictPod } from "./eviction.js";
import { nodeLocation, podLocation, serviceLocation } from "./proxy/proxy-location.js";
import { proxySubresource } from "./proxy/proxy-request.js";
import { type TokenIssuer, tokenRequests } from "./token-request.js";

export type { NodeProxy, PodConnection, PortTarget } from "./connect-pod.js";
export { askKubelet, dialKubelet, type KubeletDialerOptions } from "./kubelet-dialer.js";

export interface SubresourceOptions {
  readonly nodes: NodeProxy | undefined;
  readonly tokens: TokenIssuer;
}

/** Subresources of built-in kinds with a behaviour of their own, and the old collection of bindings. */
export const builtInSubresources = ({ nodes, tokens }: SubresourceOptions): readonly ResourceBehaviour[] => [
  {
    resource: "pods",
    subresources: {
      binding: { handle: bindNamedPod },
      eviction: { handle: evictPod },
      log: connectPod("log", nodes),
      exec: connectPod("exec", nodes),
      attach: connectPod("attach", nodes),
      portforward: connectPod("portforward", nodes),
      proxy: proxySubresource(podLocation, nodes),
    },
  },
  { resource: "services", subresources: { proxy: proxySubresource(serviceLocation, nodes) } },
  { resource: "nodes", subresources: { proxy: proxySubresource(nodeLocation, nodes) } },
  { resource: "bindings", review: reviewBinding },
  { resource: "serviceaccounts", subresources: { token: tokenRequests(tokens) } },
];
