// DefaultTolerationSeconds: pods without tolerations of their own tolerate not-ready and unreachable nodes for five minutes.

import type { Pod, Toleration } from "@kubewright/api";
import { draftAs } from "@kubewright/kinds";

import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  resources: ["pods"],
  mutate(request) {
    const object = written(request, "pods", "CREATE", "UPDATE");
    if (!object) return;
    const { spec } = draftAs<Pod>(object);
    if (!spec) return;
    const given = spec.tolerations ?? [];
    const added = taints.filter((taint) => !given.some((toleration) => tolerates(toleration, taint)));
    if (added.length === 0) return;
    spec.tolerations = [...given, ...added.map(fiveMinutes)];
  },
};

const fiveMinutes = (key: string): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
});

const tolerates = ({ key, effect }: Toleration, taint: string): boolean =>
  (!key || key === taint) && (!effect || effect === "NoExecute");
