// The Node object of a simulated node.
import {
  findCondition,
  formatMicroTime,
  formatTime,
  type Lease,
  type Node,
  type NodeCondition,
  type NodeStatus,
} from "@kubewright/api";
import { type NodeSpec, nodeNameOf } from "./node-spec.js";

/** A node with this annotation or label set to `true` gets a simulated kubelet. */
const simulatedMark = "kubewright.dev/simulated";

/** On leases that are renewed when somebody looks: an old one is no sign that its node is gone. */
export const renewalMark = "kubewright.dev/renewal";

/** How long a lease of a node is good for. */
const leaseSeconds = 40;

/** Addresses outside the ranges of services and pods. */
export const hostAddress = (index: number): string =>
  `172.18.${Math.floor((index + 2) / 250)}.${((index + 2) % 250) + 1}`;

/** The range of pod addresses of a node. */
export const podRange = (index: number): string => `10.${244 + Math.floor(index / 256)}.${index % 256}.0/24`;

/** The number of the node that has this range; undefined when it is none of ours. */
export function indexOfRange(range: string | undefined): number | undefined {
  const [, high, low] = /^10\.(\d+)\.(\d+)\.0\/24$/.exec(range ?? "") ?? [];
  const index = (Number(high) - 244) * 256 + Number(low);
  return index >= 0 ? index : undefined;
}

/** Whether a simulated kubelet is to run there. */
export function isSimulated({ metadata }: Node): boolean {
  return metadata?.annotations?.[simulatedMark] === "true" || metadata?.labels?.[simulatedMark] === "true";
}

/** Where a node is reached, and what runs its containers. */
export interface NodePlace {
  /** As the container runtime names itself. */
  readonly runtime?: string | undefined;
  /** Default: one that nobody answers at. */
  readonly address?: string | undefined;
  /** Default: the usual one. */
  readonly kubeletPort?: number | undefined;
}

/** The node as its kubelet registers it. */
export function nodeObject(spec: NodeSpec, index: number, now: number, place: NodePlace = {}): Node {
  const name = nodeNameOf(spec, index);
  const arch = spec.arch ?? "amd64";
  const labels = {
    "beta.kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": arch,
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    ...(spec.region === undefined ? {} : { "topology.kubernetes.io/region": spec.region }),
    ...(spec.zone === undefined ? {} : { "topology.kubernetes.io/zone": spec.zone }),
    ...spec.labels,
  };
  return {
    metadata: {
      name,
      labels,
      annotations: {
        ...(place.address === undefined ? { [simulatedMark]: "true" } : {}),
        ...spec.annotations,
      },
    },
    spec: {
      podCIDR: podRange(index),
      podCIDRs: [podRange(index)],
      ...(spec.taints && spec.taints.length > 0 ? { taints: spec.taints } : {}),
    },
    status: readyStatus({
      name,
      index,
      now,
      arch,
      ...place,
      capacity: spec.capacity,
      allocatable: spec.allocatable,
    }),
  };
}

export const usualCapacity = {
  cpu: "32",
  memory: "256Gi",
  "ephemeral-storage": "1Ti",
  "hugepages-2Mi": "0",
  pods: "110",
};

/**
 * What newer features nodes say they have: of what a kubelet with usual settings declares, all that the API server asks for
 * before it lets a pod be resized.
 */
const declaredFeatures = ["GuaranteedQoSPodCPUResize", "InPlacePodLevelResourcesVerticalScaling"];

/** A ready node with room for pods. */
export function readyStatus(
  options: NodePlace & {
    readonly name: string;
    readonly index: number;
    readonly now: number;
    readonly arch?: string | undefined;
    readonly capacity?: Readonly<Record<string, string>> | undefined;
    readonly allocatable?: Readonly<Record<string, string>> | undefined;
    readonly before?: readonly NodeCondition[] | undefined;
  },
): NodeStatus {
  const { name, index, now, arch = "amd64" } = options;
  const capacity = { ...usualCapacity, ...options.capacity };
  return {
    capacity,
    allocatable: { ...capacity, ...options.allocatable },
    declaredFeatures,
    conditions: healthyConditions(now, options.before),
    addresses: [
      { type: "InternalIP", address: options.address ?? hostAddress(index) },
      // API servers try this first; where they dial it, it must lead somewhere.
      { type: "Hostname", address: options.address ?? name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: options.kubeletPort ?? 10250 } },
    nodeInfo: {
      architecture: arch,
      bootID: identity(name, 2),
      containerRuntimeVersion: options.runtime ?? "simulated://1.0",
      kernelVersion: "6.12.0-simulated",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.4",
      machineID: identity(name, 1).replaceAll("-", ""),
      operatingSystem: "linux",
      osImage: "Kubewright simulated node",
      systemUUID: identity(name, 3),
    },
  };
}

const healthy: readonly (readonly [type: string, status: string, reason: string, message: string])[] = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
];

/** The types of conditions that a kubelet reports. */
export const kubeletConditions: ReadonlySet<string> = new Set(healthy.map(([type]) => type));

/** What a healthy kubelet reports. What has been so before has been so since then. */
export function healthyConditions(
  now: number,
  before: readonly NodeCondition[] = [],
): readonly NodeCondition[] {
  const time = formatTime(now);
  return healthy.map(([type, status, reason, message]) => {
    const known = findCondition(before, type);
    const lastTransitionTime = (known?.status === status && known.lastTransitionTime) || time;
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime };
  });
}

/** The sign of life of a node. */
export function nodeLease(node: Node, now: number, isOnDemand = true): Lease {
  const name = node.metadata?.name ?? "";
  return {
    metadata: {
      name,
      namespace: "kube-node-lease",
      ...(isOnDemand ? { annotations: { [renewalMark]: "on-demand" } } : {}),
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: node.metadata?.uid ?? "" }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(now) },
  };
}

/** A UUID that is always the same for the same node. */
function identity(name: string, salt: number): string {
  let hex = "";
  for (let round = 0; hex.length < 32; round++) {
    let hash = 0x811c9dc5 ^ (salt * 31 + round);
    for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    hex += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
