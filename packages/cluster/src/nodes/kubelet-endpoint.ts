// The port of kubelets, for an API server in another process. One port serves every node of this process.
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import { type Listener, listen, type Peer } from "@kubewright/apiserver";
import { type KubeletPods, kubeletApi, kubeletRefusal } from "./kubelet-api.js";
import type { KubeletAuth } from "./kubelet-auth.js";

export interface KubeletEndpointOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly serving: KeyPair;
  /** PEM; who signs certificates of clients. */
  readonly clientAuthority: string;
  readonly auth: KubeletAuth;
  readonly pods: KubeletPods;
}

export function openKubeletEndpoint(options: KubeletEndpointOptions): Promise<Listener> {
  // No request of a kubelet has a body, so nobody's is read.
  return listen((request, peer) => answer(request, peer, options), { ...options, allows: () => false });
}

async function answer(
  request: TransportRequest,
  peer: Peer,
  { auth, pods }: KubeletEndpointOptions,
): Promise<TransportResponse> {
  try {
    if (request.path !== "/healthz") await auth.check(request, peer);
  } catch (error) {
    return kubeletRefusal(error);
  }
  return kubeletApi(request, pods);
}
