// The changed pod and its node, for plugins that check whether a node supports the change.

import type { Node, Pod } from "@kubewright/api";
import { storedAs, unstored } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import { refused } from "./refuse.js";

/** A pod on a node, before and after its spec was changed. */
export interface ChangedPod {
  readonly pod: Pod;
  readonly before: Pod;
  readonly nodeName: string;
}

/** The change of a bound pod's spec through one of the subresources; undefined for other requests. */
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

/** The node of a pod; refuses the request when it does not exist. */
export function nodeOrRefuse(request: AdmissionRequest, nodeName: string): Node {
  const node = request.context.services.storage.get("nodes", nodeName);
  if (!node) throw refused(request, `node "${nodeName}" not found`);
  return storedAs<Node>(node);
}
