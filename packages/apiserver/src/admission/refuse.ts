// The Forbidden error of admission plugins.

import type { ApiError, StatusCause } from "@kubewright/api";
import { forbidden } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";

/** 403, naming the object as far as its name is known yet. */
export function refused(
  { kind, name, object }: AdmissionRequest,
  why: string,
  causes?: readonly StatusCause[],
): ApiError {
  const known = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return forbidden({ group: kind.group, resource: kind.plural, name: known }, why, causes);
}
