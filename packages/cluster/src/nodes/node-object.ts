// What a simulated node says of itself.
import { formatMicroTime, formatTime, type Lease, type Node, type NodeStatus } from "@kubewright/api";

/** How long a lease of a node is good for. */
export const leaseSeconds = 40;

/** `node-1`, `node-2`, … */
export const nodeName = (index: number): string => `node-${index + 1}`;

/** Addresses outside the ranges of services and pods. */
export const hostAddress = (index: number): string =>
  `172.18.${Math.floor((index + 2) / 250)}.${((index + 2) % 250) + 1}`;

/** The node before anything is known of its state. */
export function nodeObject(index: number): Node {
  const name = nodeName(index);
  const labels = {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
  return {
    metadata: { name, labels, annotations: { "kubewright.dev/simulated": "true" } },
    spec: { podCIDR: podRange(index), podCIDRs: [podRange(index)] },
  };
}

const podRange = (index: number): string => `10.${244 + Math.floor(index / 256)}.${index % 256}.0/24`;

/** A ready node with room for pods. */
export function readyStatus(index: number, now: number): NodeStatus {
  const amounts = {
    cpu: "32",
    memory: "256Gi",
    "ephemeral-storage": "1Ti",
    "hugepages-2Mi": "0",
    pods: "110",
  };
  const time = formatTime(now);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  return {
    capacity: amounts,
    allocatable: amounts,
    conditions: [
      condition(
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
      ),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    addresses: [
      { type: "InternalIP", address: hostAddress(index) },
      { type: "Hostname", address: nodeName(index) },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "simulated://1.0",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.4",
      machineID: nodeName(index),
      operatingSystem: "linux",
      osImage: "Kubewright simulated node",
      systemUUID: "",
    },
  };
}

/** The sign of life of a node. */
export function nodeLease(node: Node, now: number): Lease {
  const name = node.metadata?.name ?? "";
  return {
    metadata: {
      name,
      namespace: "kube-node-lease",
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata?.uid ?? "" }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(now) },
  };
}
