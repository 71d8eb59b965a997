// The denials of policies and the Status they are answered with.
import { ApiError } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import { refused } from "../refuse.js";

/** Why a request does not pass. */
export interface PolicyDenial {
  readonly message: string;
  /** Default: `Invalid`. */
  readonly reason?: string | undefined;
  /** The index of the failed validation; 0 where it is none of them. */
  readonly index?: number | undefined;
}

const codes: ReadonlyMap<string, number> = new Map([
  ["Unauthorized", 401],
  ["Forbidden", 403],
  ["RequestEntityTooLarge", 413],
  ["Invalid", 422],
]);

/** A denial with the names of its policy and binding. */
export interface AttributedDenial extends PolicyDenial {
  readonly policy: string;
  /** Absent when the policy itself is at fault. */
  readonly binding: string | undefined;
}

/** The failure for a request that a policy denies. */
export function deniedByPolicy(request: AdmissionRequest, denial: AttributedDenial): ApiError {
  const { policy, binding, message, reason = "Invalid" } = denial;
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const forbidden = refused(request, text);
  return new ApiError(forbidden.message, {
    code: codes.get(reason) ?? 422,
    reason,
    details: { ...forbidden.details, causes: [{ message: text }] },
  });
}
