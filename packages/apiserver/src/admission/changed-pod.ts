// What the plugins that ask a node about changes of its pods have in common: which changes these are, and the node.
import type { Node, Pod } from "@kubewright/api";
import { storedAs } from "../kinds/as-kind.js";
import type { AdmissionRequest } from "../registry/admission-control.js";
import { unstored } from "../request/draft.js";
import { refused } from "./refuse.js";

/** A pod on a node, before and after its spec was changed. */
export interface ChangedPod {
  readonly pod: Pod;
  readonly before: Pod;
  readonly nodeName: string;
}

/** Undefined for all but updates that change the spec of a pod on a node, through one of the subresources. */
export function changedPod(
  { kind, operation, subresource, object, oldObject }: AdmissionRequest,
  subresources: readonly (string | undefined)[],
): ChangedPod | undefined {
  if (kind.plural !== "pods" || kind.group !== "" || operation !== "UPDATE") return undefined;
  if (!subresources.includes(subresource) || !object || !oldObject) return undefined;
  const pod = storedAs<Pod>(unstored(object));
  const nodeName = pod.spec?.nodeName;
  const isChanged = object.metadata.generation !== oldObject.metadata.generation;
  return nodeName && isChanged ? { pod, before: storedAs<Pod>(oldObject), nodeName } : undefined;
}

/** The node of a pod; refuses what cannot be decided without it. */
export function nodeOrRefuse(request: AdmissionRequest, nodeName: string): Node {
  const node = request.context.services.storage.get("nodes", nodeName);
  if (!node) throw refused(request, `node "${nodeName}" not found`);
  return storedAs<Node>(node);
}
