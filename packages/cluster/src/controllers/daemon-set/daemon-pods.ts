// Pods of a DaemonSet: the nodes that should run one, and the pod of each.
import {
  type ControllerRevision,
  controllerReference,
  DaemonSet,
  type Node,
  type Pod,
  type PodSpec,
  type Toleration,
} from "@kubewright/api";
import { matchesSelectors, tolerates } from "../../scheduler/node-fit.js";
import { revisionHash, revisionLabel } from "../../workload/template-revisions.js";

/** The tolerations of daemon pods on every node. */
const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

function tolerationsOf(spec: PodSpec | undefined): readonly Toleration[] {
  const network: readonly Toleration[] = spec?.hostNetwork
    ? [{ key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" }]
    : [];
  return [...(spec?.tolerations ?? []), ...daemonTolerations, ...network];
}

/** Whether a node is to have a pod, and whether one that is there may stay. */
export function placeOn(
  set: DaemonSet,
  node: Node,
): { readonly shouldRun: boolean; readonly mayStay: boolean } {
  const spec = set.spec?.template.spec;
  if (!matchesSelectors({ spec: { containers: [], ...spec } }, node))
    return { shouldRun: false, mayStay: false };
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => !tolerationsOf(spec).some((toleration) => tolerates(toleration, taint)),
  );
  const has = (effect: string): boolean => untolerated.some((taint) => taint.effect === effect);
  return { shouldRun: !has("NoSchedule") && !has("NoExecute"), mayStay: !has("NoExecute") };
}

/** The pod for a node. The scheduler places it: nowhere else fits. */
export function daemonPod(set: DaemonSet, node: string, revision: ControllerRevision): Pod {
  const { template } = set.spec ?? {};
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const generation = String(set.metadata?.generation ?? 1);
  return {
    metadata: {
      generateName: `${set.metadata?.name}-`,
      namespace: set.metadata?.namespace,
      labels: { ...labels, [revisionLabel]: revisionHash(revision), "pod-template-generation": generation },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(set, { kind: DaemonSet })],
    },
    spec: {
      containers: [],
      ...template?.spec,
      affinity: { ...template?.spec?.affinity, nodeAffinity: onlyOn(node, template?.spec) },
      tolerations: tolerationsOf(template?.spec),
    },
  };
}

function onlyOn(node: string, spec: PodSpec | undefined): NonNullable<PodSpec["affinity"]>["nodeAffinity"] {
  const field = { key: "metadata.name", operator: "In" as const, values: [node] };
  return {
    ...spec?.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [field] }] },
  };
}

/** The node a pod is on or meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = terms?.flatMap(({ matchFields = [] }) => matchFields) ?? [];
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0];
}
