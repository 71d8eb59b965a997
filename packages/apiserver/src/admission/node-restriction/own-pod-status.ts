// NodeRestriction for pod status: a kubelet updates the status of its own pods, but not their labels.

import { deepEqual, type Pod } from "@kubewright/api";
import { draftAs, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";

/** The reason why the status may not be written. */
export function checkPodStatus(node: string, { operation, object, oldObject }: AdmissionRequest) {
  if (operation !== "UPDATE" || !object || !oldObject) return `unexpected operation "${operation}"`;
  const before = storedAs<Pod>(oldObject);
  const after = draftAs<Pod>(object);
  if (before.spec?.nodeName !== node)
    return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`;
  if (!deepEqual(before.metadata?.labels ?? {}, after.metadata?.labels ?? {}))
    return `node "${node}" cannot update labels through pod status`;
  if (!deepEqual(before.status?.resourceClaimStatuses ?? [], after.status?.resourceClaimStatuses ?? []))
    return `node "${node}" cannot update resource claim statuses`;
  return deepEqual(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus)
    ? undefined
    : `node "${node}" cannot update extended resource claim status`;
}
