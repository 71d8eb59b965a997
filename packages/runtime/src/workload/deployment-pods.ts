// The pods of a Deployment, among those that carry its labels. A label alone proves nothing: anybody may set it.
import { getControllerOf, type Pod, parseApiVersion } from "@kubewright/api";

/** The label that a Deployment puts on its ReplicaSets and their pods. */
const hashLabel = "pod-template-hash";

/**
 * The pods among these that are controlled by a ReplicaSet of the Deployment. ReplicaSets are named after their Deployment and
 * the hash of their template, so they need not be watched for this.
 */
export function deploymentPods(deployment: string, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => {
    const controller = getControllerOf(pod);
    const hash = pod.metadata?.labels?.[hashLabel];
    return (
      controller?.kind === "ReplicaSet" &&
      parseApiVersion(controller.apiVersion)?.group === "apps" &&
      controller.name === `${deployment}-${hash}`
    );
  });
}
