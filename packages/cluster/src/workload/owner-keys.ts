// From a changed child to the keys of the owners it matters to.
import {
  getControllerOf,
  type KubeObject,
  LabelMatcher,
  type LabelSelector,
  parseApiVersion,
  type ResourceDescriptor,
} from "@kubewright/api";
import { keyOf, type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";

interface Selecting extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined;
}

/** The owners of a kind that control the child, before or after; or might adopt it, if nobody does. */
export function* ownerKeys<T extends KubeObject, Owner extends KubeObject = Selecting>(
  kind: ResourceDescriptor,
  owners: StoreReader<Owner>,
  { previous, current }: ObjectChange<T>,
  selectorOf: (owner: Owner) => LabelSelector | undefined = ownSelector,
): Iterable<string> {
  for (const object of [previous, current]) {
    const key = object && controllerKey(kind, object);
    if (key !== undefined) yield key;
  }
  if (!current || getControllerOf(current)) return;
  for (const owner of owners.list({ namespace: current.metadata?.namespace })) {
    const selector = selectorOf(owner);
    if (selector && LabelMatcher.from(selector).matches(current.metadata?.labels)) yield objectKey(owner);
  }
}

const ownSelector = ({ spec }: Selecting): LabelSelector | undefined => spec?.selector;

/** The key of the object's controller, if it is of that kind. */
export function controllerKey(kind: ResourceDescriptor, object: KubeObject): string | undefined {
  const controller = getControllerOf(object);
  if (controller?.kind !== kind.kind) return undefined;
  if (parseApiVersion(controller.apiVersion)?.group !== kind.group) return undefined;
  return keyOf(controller.name, object.metadata?.namespace);
}
