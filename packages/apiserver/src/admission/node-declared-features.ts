// NodeDeclaredFeatureValidator: a change of a pod may need a feature that its node does not declare.
import { compareQuantities, deepEqual, type Pod, type ResourceRequirements } from "@kubewright/api";
import type { AdmissionPlugin } from "./admission.js";
import { type ChangedPod, changedPod, nodeOrRefuse } from "./changed-pod.js";
import { refused } from "./refuse.js";

/** The features that nodes declare, in alphabetical order, and the changes that need them. */
const features: Readonly<Record<string, (change: ChangedPod) => boolean>> = {
  GuaranteedQoSPodCPUResize: changesGuaranteedCpu,
  InPlacePodLevelResourcesVerticalScaling: ({ pod, before }) =>
    !sameAmounts(pod.spec?.resources, before.spec?.resources),
};

export const nodeDeclaredFeatures: AdmissionPlugin = {
  name: "NodeDeclaredFeatureValidator",
  resources: ["pods"],
  validate(request) {
    const change = changedPod(request, [undefined, "resize"]);
    if (!change) return;
    const needed = Object.keys(features).filter((name) => features[name]?.(change));
    if (needed.length === 0) return;
    const declared = nodeOrRefuse(request, change.nodeName).status?.declaredFeatures ?? [];
    const missing = needed.filter((name) => !declared.includes(name));
    if (missing.length === 0) return;
    const text = `pod update requires features ${missing.join(", ")} which are not available on node "${change.nodeName}"`;
    throw refused(request, text);
  },
};

/** Containers of Guaranteed pods may have exclusive CPUs, which only some nodes can resize. */
function changesGuaranteedCpu({ pod, before }: ChangedPod): boolean {
  if (before.status?.qosClass !== "Guaranteed") return false;
  return (before.spec?.containers ?? []).some((_, index) => {
    const [now, then] = [cpuOf(pod, index), cpuOf(before, index)];
    return compareQuantities(now, then) !== 0;
  });
}

const cpuOf = ({ spec }: Pod, index: number) => spec?.containers[index]?.resources?.requests?.["cpu"] ?? "0";

function sameAmounts(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): boolean {
  if (!now || !before) return now === before;
  const { limits: _limits, requests: _requests, ...rest } = now;
  const { limits: _old, requests: _older, ...restBefore } = before;
  return (
    deepEqual(rest, restBefore) &&
    sameList(now.limits, before.limits) &&
    sameList(now.requests, before.requests)
  );
}

type Amounts = ResourceRequirements["limits"];

function sameList(now: Amounts = {}, before: Amounts = {}): boolean {
  const names = Object.keys(now);
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => {
      const [a, b] = [now[name], before[name]];
      return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
    })
  );
}
