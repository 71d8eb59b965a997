// JSON patches that test what they rely on. The server calls a test that failed invalid; what it means is that somebody was
// faster, which is a conflict like any other: the next attempt starts from what is there then.
import { ApiError, isInvalid, type KubeObject } from "@kubewright/api";
import type { JsonPatchOperation, PatchOptions } from "@kubewright/client";
import type { CachedClient } from "../informer/cached-client.js";
import type { AnyResource } from "./kinds.js";

/** Patches that very object, not one of the same name made after it. */
export async function testedPatch(
  client: CachedClient,
  resource: AnyResource,
  object: KubeObject,
  operations: readonly JsonPatchOperation[],
  options: PatchOptions,
): Promise<KubeObject> {
  const { name = "", namespace, uid } = object.metadata ?? {};
  const json = [{ op: "test", path: "/metadata/uid", value: uid } as const, ...operations];
  try {
    return await client.patch(resource, name, { json }, { ...options, namespace });
  } catch (error) {
    throw isTestFailure(error) ? asConflict(error) : error;
  }
}

/** Objects that break the rules of their kind are invalid too, but then the server says which field. */
function isTestFailure(error: unknown): error is ApiError {
  return isInvalid(error) && !error.details?.causes?.length;
}

function asConflict(cause: ApiError): ApiError {
  return new ApiError(`${cause.message} (it has changed in the meantime)`, {
    code: 409,
    reason: "Conflict",
    cause,
  });
}
