// TaintNodesByCondition: a new node has the not-ready taint until its kubelet reports Ready.

import type { Node, Taint } from "@kubewright/api";
import { draftAs } from "@kubewright/kinds";

import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";

const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  resources: ["nodes"],
  mutate(request) {
    const object = written(request, "nodes", "CREATE");
    if (!object) return;
    const node = draftAs<Node>(object);
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { ...notReady }] };
  },
};
