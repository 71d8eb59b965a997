// The AdmissionResponse for a handler's outcome: allowed, with a patch perhaps; or refused, with a Status as the API server itself
// would have written it.
import { ApiError, type FieldError, joinFieldErrors, toStatus, ValidationError } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { AdmissionRequest } from "./admission-request.js";
import type { WebhookDefinition } from "./define-webhook.js";

/** The answering side of a review. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly refusal?: ApiError | undefined;
  readonly patch?: readonly JsonPatchOperation[] | undefined;
  readonly warnings: readonly string[];
}

/** The AdmissionReview to send back. */
export function admissionReview(
  uid: string,
  { allowed, refusal, patch = [], warnings }: AdmissionResponse,
): unknown {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: {
      uid,
      allowed,
      ...(refusal ? { status: toStatus(refusal) } : {}),
      ...(patch.length > 0
        ? { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") }
        : {}),
      ...(warnings.length > 0 ? { warnings: [...new Set(warnings)] } : {}),
    },
  };
}

/** The refusal an error means; undefined when it is a failure of the handler and no decision. */
export function refusalOf(
  error: unknown,
  definition: WebhookDefinition,
  request: AdmissionRequest,
): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof ValidationError) return invalid(error.errors, definition, request);
  return undefined;
}

/** 422 with a cause for each field, as the API server returns it. */
export function invalid(
  errors: readonly FieldError[],
  { resource: { kind, group } }: WebhookDefinition,
  { name, object }: AdmissionRequest,
): ApiError {
  const what = name || object?.metadata?.name || object?.metadata?.generateName || "";
  return new ApiError(
    `${group ? `${kind}.${group}` : kind} ${JSON.stringify(what)} is invalid: ${joinFieldErrors(errors)}`,
    {
      code: 422,
      reason: "Invalid",
      details: {
        name: what,
        group,
        kind,
        causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
      },
    },
  );
}
