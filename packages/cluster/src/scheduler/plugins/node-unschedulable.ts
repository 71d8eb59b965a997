// Nodes that have been cordoned take no pods but those that tolerate it.
import type { Taint } from "@kubewright/api";
import { tolerates } from "../node-fit.js";
import { type FilterPlugin, final } from "../plugin.js";

const taint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const misfit = final("node(s) were unschedulable");

export const nodeUnschedulable: FilterPlugin = {
  name: "NodeUnschedulable",
  prepare({ pod }) {
    if ((pod.spec?.tolerations ?? []).some((one) => tolerates(one, taint))) return undefined;
    return { check: ({ node }) => (node.spec?.unschedulable ? misfit : undefined) };
  },
};
