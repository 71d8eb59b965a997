// The request bodies of the verbs.
import { apiVersionOf, type ResourceDescriptor } from "@kubewright/api";
import type { DeleteCollectionOptions, DeleteOptions, Patch } from "./options.js";

/** The object with its `apiVersion` and `kind`, which items of a list come without and typed code need not repeat. */
export function identified(resource: ResourceDescriptor, object: object): object {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

/** A patch and the content type that says which form it has. */
export function patchBody(patch: Patch): { body: unknown; contentType: string } {
  if ("merge" in patch) return { body: patch.merge, contentType: "application/merge-patch+json" };
  if ("json" in patch) return { body: patch.json, contentType: "application/json-patch+json" };
  return { body: patch.strategic, contentType: "application/strategic-merge-patch+json" };
}

/** `DeleteOptions` as the server reads them. */
export function deletionBody(options: DeleteOptions & DeleteCollectionOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...defined("propagationPolicy", options.propagationPolicy),
    ...defined("gracePeriodSeconds", options.gracePeriodSeconds),
    ...defined("preconditions", options.preconditions),
    ...defined("dryRun", options.dryRun ? ["All"] : undefined),
  };
}

function defined(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}
