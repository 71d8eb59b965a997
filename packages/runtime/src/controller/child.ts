// A child as it is sent: what its author declared, and what follows from whose child it is.
import {
  apiVersionOf,
  getControllerOf,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
  setControllerReference,
} from "@kubewright/api";
import type { DeclaredKind } from "./declared-kinds.js";
import type { AnyResource } from "./kinds.js";

/** The owner of the child. */
export interface Owner {
  readonly resource: AnyResource;
  readonly object: KubeObject;
}

/**
 * The whole child: its kind, its namespace (the owner's unless it says otherwise), and for owned kinds the reference to
 * its owner. Throws a TerminalError where Kubernetes allows no such owner.
 */
export function childOf(kind: DeclaredKind, child: KubeObject, owner: Owner): KubeObject {
  const { resource, isOwned } = kind;
  const object = {
    ...child,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: placed(resource, child.metadata ?? {}, owner),
  };
  return isOwned ? setControllerReference(object, owner.object, { kind: owner.resource }) : object;
}

function placed(resource: AnyResource, metadata: ObjectMeta, { object }: Owner): ObjectMeta {
  if (resource.scope === "Cluster") return metadata;
  const namespace = metadata.namespace ?? object.metadata?.namespace;
  if (namespace) return { ...metadata, namespace };
  throw new TypeError(`${resource.kind} ${metadata.name ?? ""}: a namespace is needed, its owner has none`);
}

/** The other controller of an object, if there is one. An earlier owner of the same name does not count as another. */
export function otherController(live: KubeObject, owner: Owner): OwnerReference | undefined {
  const controller = getControllerOf(live);
  if (!controller || controller.uid === owner.object.metadata?.uid) return undefined;
  const isEarlierSelf =
    controller.kind === owner.resource.kind &&
    controller.name === owner.object.metadata?.name &&
    parseApiVersion(controller.apiVersion)?.group === owner.resource.group;
  return isEarlierSelf ? undefined : controller;
}

/** Names the index of children by the uid of their controller. */
export const controllerIndex = "kubewright.dev/controller";

/** The values of that index. */
export function controllerUids(object: KubeObject): readonly string[] {
  const uid = getControllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}
