// The options of a write as webhooks and policies see them: CreateOptions, UpdateOptions, DeleteOptions.
import type { JsonObject } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { RequestContext } from "../../registry/request-context.js";

const apiVersion = "meta.k8s.io/v1";

/** The options of the request; null where the operation has none. */
export function operationOptions({ operation, context }: AdmissionRequest): JsonObject | null {
  switch (operation) {
    case "CREATE":
      return writeOptions(context, "CreateOptions");
    case "UPDATE":
      return writeOptions(context, "UpdateOptions");
    case "DELETE":
      return removeOptions(context);
    case "CONNECT":
      return null;
  }
}

function writeOptions({ query }: RequestContext, kind: string): JsonObject {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager");
  const fieldValidation = query.get("fieldValidation");
  return {
    kind,
    apiVersion,
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

/** An update may end in a deletion that has no options of its own. */
function removeOptions({ deleteOptions: options = {} }: RequestContext): JsonObject {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = options;
  const { uid, resourceVersion } = preconditions ?? {};
  const pinned = uid !== undefined || resourceVersion !== undefined;
  const conditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(pinned ? { preconditions: conditions } : {}),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}
