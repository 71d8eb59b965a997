// The match of a request with the resource and operations of a plugin.

import type { DraftObject } from "@kubewright/kinds";
import type { AdmissionRequest } from "../registry/admission-control.js";
import { resourceId } from "../registry/resource-kind.js";

type Operation = AdmissionRequest["operation"];

/** The object of a request about a resource itself (no subresource), for one of the operations; undefined for others. */
export function written(
  { kind, subresource, operation, object }: AdmissionRequest,
  resource: string,
  ...operations: readonly Operation[]
): DraftObject | undefined {
  if (!resource.startsWith(kind.plural)) return undefined;
  return resourceId(kind) === resource && subresource === undefined && operations.includes(operation)
    ? object
    : undefined;
}
