// PodTopologyLabels: copies the zone and region labels of the node to its pods.

import type { Binding, Pod } from "@kubewright/api";
import { type DraftObject, draftAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { AdmissionPlugin } from "./admission.js";

const copied = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  resources: ["pods"],
  mutate(request) {
    const { kind, operation, object } = request;
    if (kind.group !== "" || kind.plural !== "pods" || operation !== "CREATE" || !object) return;
    const nodeName = nodeOf(request, object);
    if (nodeName) copyLabels(request, object, nodeName);
  },
};

/** The node of a binding, or of a pod that is created with one. */
function nodeOf({ subresource }: AdmissionRequest, object: DraftObject): string | undefined {
  if (subresource === "binding") return draftAs<Binding>(object).target?.name;
  return subresource === undefined ? draftAs<Pod>(object).spec?.nodeName : undefined;
}

function copyLabels({ context }: AdmissionRequest, { metadata }: DraftObject, nodeName: string): void {
  const node = context.services.storage.get("nodes", nodeName);
  for (const label of copied) {
    const value = node?.metadata.labels?.[label];
    if (value !== undefined) metadata.labels = { ...metadata.labels, [label]: value };
  }
}
