// Finds the pods of a node without looking at all pods.
import type { Pod } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";

const path = "spec.nodeName";

/** Makes `podsOnNode` quick; again changes nothing. */
export function indexPodsByNode(pods: StoreReader<Pod>): void {
  pods.indexField(path);
}

/** The pods bound to a node. */
export function podsOnNode(pods: StoreReader<Pod>, node: string): readonly Pod[] {
  return pods.list({ fieldSelector: `${path}=${node}` });
}
