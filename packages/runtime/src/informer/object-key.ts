// Inside a kind, an object is known by its key; which incarnation of it, and which state, by uid and resource version.
import type { KubeObject } from "@kubewright/api";

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function objectKey(object: KubeObject): string {
  const { namespace, name = "" } = object.metadata ?? {};
  return keyOf(name, namespace);
}

/** The key of the object with that name. */
export function keyOf(name: string, namespace?: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** True when both are the same object, not one of the same name made after the other was deleted. */
export function isSameObject(one: KubeObject, other: KubeObject): boolean {
  return one.metadata?.uid === other.metadata?.uid;
}

/** True when both are the same object in the same state. */
export function isSameState(one: KubeObject, other: KubeObject): boolean {
  return (
    one === other ||
    (isSameObject(one, other) && one.metadata?.resourceVersion === other.metadata?.resourceVersion)
  );
}
