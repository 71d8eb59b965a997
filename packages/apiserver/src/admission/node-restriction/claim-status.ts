// NodeRestriction for claims: a kubelet reports a volume expansion in the status of its claim and changes nothing else.
import { deepEqual, type PersistentVolumeClaim } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";

const reported = ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"];

/** The reason why the claim may not be written. */
export function checkClaimStatus(
  node: string,
  { operation, subresource, object, oldObject }: AdmissionRequest,
) {
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE" || !object || !oldObject) return `unexpected operation "${operation}"`;
  return deepEqual(rest(object), rest(oldObject))
    ? undefined
    : `node "${node}" is not allowed to update fields other than status.capacity and status.conditions`;
}

/** All that a kubelet may not change. */
function rest(object: object): unknown {
  const { metadata, status, ...others } = object as PersistentVolumeClaim;
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata ?? {};
  const ownStatus = Object.entries(status ?? {}).filter(([field]) => !reported.includes(field));
  return { ...others, metadata: kept, status: Object.fromEntries(ownStatus) };
}
