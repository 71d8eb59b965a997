// A pod as the scheduler sees it, worked out once.
import { getControllerOf, type Labels, type Pod, type PodAffinityTerm } from "@kubewright/api";
import { keyOf } from "@kubewright/runtime";
import { type Requests, requestsOf } from "../pod-requests.js";
import { type AffinityTerm, compileTerm, type WeightedTerm } from "./affinity-term.js";

export interface PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: Requests;
  /** CPU and memory for comparing nodes: who asks for nothing still uses something. */
  readonly weight: { readonly cpu: number; readonly memory: number };
  readonly ports: readonly HostPort[];
  readonly owner: string | undefined;
  readonly isTerminating: boolean;
  readonly affinity: PodTerms;
  /** Names of the claims it mounts. */
  readonly claims: readonly string[];
}

export interface PodTerms {
  readonly requires: readonly AffinityTerm[];
  readonly avoids: readonly AffinityTerm[];
  /** Negative weights for pods it would rather be away from. */
  readonly prefers: readonly WeightedTerm[];
}

/** A port of the node a pod asks for. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const usualCpu = 100;
const usualMemory = 200 * 1024 * 1024;
const noTerms: PodTerms = { requires: [], avoids: [], prefers: [] };
const noPorts: readonly HostPort[] = [];

export function podInfo(pod: Pod): PodInfo {
  const { name = "", namespace = "", uid = "", labels = {}, deletionTimestamp } = pod.metadata ?? {};
  const requests = requestsOf(pod);
  return {
    pod,
    key: keyOf(name, namespace),
    uid,
    namespace,
    labels,
    priority: pod.spec?.priority ?? 0,
    requests,
    weight: { cpu: requests.get("cpu") ?? usualCpu, memory: requests.get("memory") ?? usualMemory },
    ports: portsOf(pod),
    owner: getControllerOf(pod)?.uid,
    isTerminating: deletionTimestamp !== undefined,
    affinity: termsOf(pod, namespace, labels),
    claims: claimsOf(pod),
  };
}

/** The claims a pod mounts; those of ephemeral volumes carry the pod's name. */
export function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata?.name}-${name}`] : [];
  });
}

function portsOf(pod: Pod): readonly HostPort[] {
  let found: HostPort[] | undefined;
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)];
  for (const { ports = [] } of all)
    for (const { hostPort, hostIP, protocol = "TCP" } of ports) {
      if (!hostPort) continue;
      found ??= [];
      found.push({ ip: hostIP || "0.0.0.0", protocol, port: hostPort });
    }
  return found ?? noPorts;
}

const isSidecar = ({ restartPolicy }: { readonly restartPolicy?: string | undefined }): boolean =>
  restartPolicy === "Always";

function termsOf(pod: Pod, namespace: string, labels: Labels): PodTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return noTerms;
  const compile = (term: PodAffinityTerm) => compileTerm(term, namespace, labels);
  const weigh =
    (sign: number) => (one: { readonly weight: number; readonly podAffinityTerm: PodAffinityTerm }) => ({
      term: compile(one.podAffinityTerm),
      weight: sign * one.weight,
    });
  return {
    requires: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(compile),
    avoids: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(compile),
    prefers: [
      ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weigh(1)),
      ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weigh(-1)),
    ],
  };
}
