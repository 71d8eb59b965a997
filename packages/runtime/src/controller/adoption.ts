// Adoption of an object without a controller, and release of a child. Both touch only the one owner reference, and only if it
// is still what it was.
import { controllerReference, getControllerOf, type KubeObject } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { Owner } from "./child.js";

const path = "/metadata/ownerReferences";

/** The patch that makes the owner the controller of an object; undefined when the object has one already. */
export function adoption(object: KubeObject, owner: Owner): readonly JsonPatchOperation[] | undefined {
  if (getControllerOf(object)) return undefined;
  const reference = controllerReference(owner.object, { kind: owner.resource });
  const references = object.metadata?.ownerReferences ?? [];
  const others = references.filter(({ uid }) => uid !== reference.uid);
  return [
    { op: "test", path, value: references.length > 0 ? references : null },
    { op: "add", path, value: [...others, reference] },
  ];
}

/** The patch that takes the owner out of an object's owners; undefined when it is none of them. */
export function release(object: KubeObject, owner: Owner): readonly JsonPatchOperation[] | undefined {
  const references = object.metadata?.ownerReferences ?? [];
  const kept = references.filter(({ uid }) => uid !== owner.object.metadata?.uid);
  if (kept.length === references.length) return undefined;
  return [
    { op: "test", path, value: references },
    kept.length > 0 ? { op: "replace", path, value: kept } : { op: "remove", path },
  ];
}
