// Bodies of things done to a pod (bindings, evictions): decoded like objects, stored nowhere.

import { ApiError, apiVersionOf, type GroupVersionKind } from "@kubewright/api";
import { builtInDecoder, decodeBody, decodeObject } from "@kubewright/machinery";
import { headerOf, type RequestContext } from "../registry/request-context.js";
import type { SubresourceResult } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";

/** Decodes the body as one kind, in any of the versions it is accepted in; the first one has the type info. */
export function decodeAction<T>(
  context: RequestContext,
  accepted: readonly [GroupVersionKind, ...GroupVersionKind[]],
  { fieldValidation }: Pick<WriteOptions, "fieldValidation">,
): T {
  const sent = accepted.length === 1 ? undefined : sentVersion(context, accepted[0]);
  const gvk = accepted.find((candidate) => apiVersionOf(candidate) === sent) ?? accepted[0];
  const decoder = { ...builtInDecoder(accepted[0]), gvk };
  const contentType = headerOf(context, "content-type");
  const { value, warnings } = decodeObject(context.request.body, contentType, decoder, fieldValidation);
  context.warnings.push(...warnings);
  return value as unknown as T;
}

function sentVersion(context: RequestContext, gvk: GroupVersionKind): unknown {
  const { body } = context.request;
  if (body?.kind === "object") return (body.value as Record<string, unknown> | null)?.["apiVersion"];
  const bytes = body?.bytes ?? new Uint8Array();
  const contentType = headerOf(context, "content-type");
  return decodeBody(bytes, contentType, { gvk, reportDuplicates: false }).value["apiVersion"];
}

/** The response to an action. */
export const done: SubresourceResult = {
  status: 201,
  object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
};

/** A failure the server has no reason for: 500 with nothing but its text. */
export const plainFailure = (message: string): ApiError =>
  new ApiError(message, { code: 500, reason: "Unknown" });
