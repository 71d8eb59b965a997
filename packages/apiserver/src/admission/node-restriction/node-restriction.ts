// NodeRestriction: a kubelet writes what is its own (its node, the status of its pods, its lease, tokens for its pods) and nothing else.

import type { Lease, ResourceSlice } from "@kubewright/api";
import { draftAs, storedAs } from "@kubewright/kinds";
import { nodeOf } from "../../auth/node/node-identity.js";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import { resourceId } from "../../registry/resource-kind.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refuse.js";
import { checkClaimStatus } from "./claim-status.js";
import { checkMirrorPod } from "./mirror-pod.js";
import { checkNode } from "./own-node.js";
import { checkPodStatus } from "./own-pod-status.js";
import { checkToken } from "./pod-token.js";
import { podOf } from "./requested-pod.js";

/** The reason why a request is refused; undefined when it is allowed. */
export type NodeCheck = (node: string, request: AdmissionRequest) => string | undefined;

export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  mutate(request) {
    const { operation, kind, context } = request;
    const node = nodeOf(context.user);
    if (node === undefined || operation === "CONNECT") return;
    if (node === "") throw refused(request, `could not determine node from user "${context.user.name}"`);
    const check = checks.get(resourceId(kind));
    const problem = check?.(node, request);
    if (problem !== undefined) throw refused(request, problem);
  },
};

const checks: ReadonlyMap<string, NodeCheck> = new Map<string, NodeCheck>([
  ["pods", checkPod],
  ["nodes", checkNode],
  ["persistentvolumeclaims", checkClaimStatus],
  ["serviceaccounts", checkToken],
  ["leases.coordination.k8s.io", checkLease],
  ["csinodes.storage.k8s.io", checkCsiNode],
  ["resourceslices.resource.k8s.io", checkSlice],
]);

function checkPod(node: string, request: AdmissionRequest): string | undefined {
  const { operation, subresource } = request;
  switch (subresource) {
    case undefined:
      if (operation === "CREATE") return checkMirrorPod(node, request);
      if (operation === "DELETE")
        return podOf(request).spec?.nodeName === node
          ? undefined
          : `node "${node}" can only delete pods with spec.nodeName set to itself`;
      return `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`;
    case "status":
      return checkPodStatus(node, request);
    case "eviction":
      return podOf(request).spec?.nodeName === node
        ? undefined
        : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
  }
}

const leaseNamespace = "kube-node-lease";

function checkLease(
  node: string,
  { namespace, name, object, operation }: AdmissionRequest,
): string | undefined {
  if (namespace !== leaseNamespace)
    return `can only access leases in the "${leaseNamespace}" system namespace`;
  const own = operation === "CREATE" ? object && draftAs<Lease>(object).metadata?.name : name;
  return own === node ? undefined : "can only access node lease with the same name as the requesting node";
}

function checkCsiNode(node: string, { name, object, operation }: AdmissionRequest): string | undefined {
  const own = operation === "CREATE" ? object?.metadata.name : name;
  return own === node ? undefined : "can only access CSINode with the same name as the requesting node";
}

function checkSlice(node: string, { object, oldObject, operation }: AdmissionRequest): string | undefined {
  if (operation === "UPDATE") return undefined;
  const slice = object ? draftAs<ResourceSlice>(object) : oldObject && storedAs<ResourceSlice>(oldObject);
  if (!slice || slice.spec?.nodeName === node) return undefined;
  return operation === "CREATE"
    ? "can only create ResourceSlice with the same NodeName as the requesting node"
    : "can only delete ResourceSlice with the same NodeName as the requesting node";
}
