// PodResizeValidator: a pod may not be resized beyond the allocatable resources of its node, nor where resizing is not supported.
import { Amount, type Node, type Pod } from "@kubewright/api";
import { podRequests } from "../quota/pod-usage.js";
import type { AdmissionPlugin } from "./admission.js";
import { changedPod, nodeOrRefuse } from "./changed-pod.js";
import { refused } from "./refuse.js";

export const podResize: AdmissionPlugin = {
  name: "PodResizeValidator",
  resources: ["pods"],
  validate(request) {
    const change = changedPod(request, ["resize"]);
    if (!change) return;
    const node = nodeOrRefuse(request, change.nodeName);
    const lacking = shortages(change.pod, node);
    if (lacking.length > 0) {
      const text = `Node didn't have enough allocatable resources: ${lacking.join("; ")}`;
      throw refused(request, text, [{ reason: "NodeCapacity" }]);
    }
    const system = node.metadata?.labels?.["kubernetes.io/os"] ?? "";
    if (system !== "linux") {
      const text = `pod resize is only supported on linux nodes, node "${change.nodeName}" is "${system}"`;
      throw refused(request, text, [{ reason: "UnsupportedPlatform" }]);
    }
  },
};

/** In millicores, and in bytes. */
const units = { cpu: (amount: Amount) => amount.milliValue(), memory: (amount: Amount) => amount.value() };

function shortages({ spec }: Pod, { status }: Node): string[] {
  if (!spec) return [];
  const asked = podRequests(spec);
  return (["cpu", "memory"] as const).flatMap((name) => {
    const wanted = units[name](asked.get(name) ?? Amount.of(0));
    const there = units[name](Amount.parse(status?.allocatable?.[name] ?? "0"));
    return wanted > there ? [`${name}, requested: ${wanted}, allocatable: ${there}`] : [];
  });
}
