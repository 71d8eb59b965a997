// Decides whether a terminating object in the response to a write still exists. The server never says so: it answers the
// request that took the last obstacle away with the object as it was. To take for gone what is not would hide it from its
// controllers; to show for a moment what is gone costs a reconcile. So only what is certain counts as gone.
import type { KubeObject, Namespace, ResourceDescriptor } from "@kubewright/api";

/** True when the object was removed by the very request that is answered with it. */
export function isFinal(resource: ResourceDescriptor, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata ?? {};
  // Time given to shut down, and finalizers, keep an object; when both are used up, the server removes it.
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  return !isNamespace(resource) || hasNoSpecFinalizers(object);
}

/** Namespaces alone have finalizers elsewhere too. */
function isNamespace({ group, plural }: ResourceDescriptor): boolean {
  return group === "" && plural === "namespaces";
}

/** A view without the spec does not know, so that it is not certain. */
function hasNoSpecFinalizers(object: KubeObject & { readonly spec?: Namespace["spec"] }): boolean {
  const { spec } = object;
  return spec !== undefined && (spec.finalizers ?? []).length === 0;
}
