// Owner references: garbage collection follows them, and the controller among them reconciles the object.
// Nothing here changes its argument; an object that needs no change is returned as it is.
import { deepEqual } from "./deep-equal.js";
import { TerminalError } from "./errors.js";
import type { OwnerReference } from "./generated/meta-v1.js";
import type { KubeObject } from "./object.js";
import { apiVersionOf, type GroupVersionKind, parseApiVersion } from "./resource.js";

/** The fields of an owner reference besides those that identify the owner. */
export interface OwnerReferenceOptions {
  /** The owner's kind, for owners that do not say it themselves, as items of a list. */
  readonly kind?: GroupVersionKind | undefined;
  /** Foreground deletion of the owner waits for the object. Default: true for controllers. */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** A reference to an owner that is not its controller. Throws when the owner has no name, uid or kind. */
export function ownerReference(owner: KubeObject, options: OwnerReferenceOptions = {}): OwnerReference {
  const apiVersion = options.kind ? apiVersionOf(options.kind) : owner.apiVersion;
  const kind = options.kind?.kind ?? owner.kind;
  const { name, uid } = owner.metadata ?? {};
  if (!apiVersion || !kind || !name || !uid) {
    throw new TypeError(`${describe(owner)} cannot be an owner: it needs apiVersion, kind, name and uid`);
  }
  const block = options.blockOwnerDeletion;
  return { apiVersion, kind, name, uid, ...(block === undefined ? {} : { blockOwnerDeletion: block }) };
}

/** A reference to the owner that controls an object; there can be only one. */
export function controllerReference(owner: KubeObject, options: OwnerReferenceOptions = {}): OwnerReference {
  const blockOwnerDeletion = options.blockOwnerDeletion ?? true;
  return { ...ownerReference(owner, { ...options, blockOwnerDeletion }), controller: true };
}

/**
 * The object with `owner` among its owners. An owner must be in the same namespace or cluster-scoped; otherwise this
 * throws a TerminalError.
 */
export function setOwnerReference<T extends KubeObject>(
  object: T,
  owner: KubeObject,
  options: OwnerReferenceOptions = {},
): T {
  checkNamespaces(object, owner);
  return withReference(object, ownerReference(owner, options));
}

/**
 * The object with `owner` as its controller. Throws a TerminalError when the owner is in another namespace, and an
 * Error when there is another controller already.
 *
 * @example
 * const child = setControllerReference(configMap, modelBox);
 */
export function setControllerReference<T extends KubeObject>(
  object: T,
  owner: KubeObject,
  options: OwnerReferenceOptions = {},
): T {
  checkNamespaces(object, owner);
  const reference = controllerReference(owner, options);
  const existing = getControllerOf(object);
  if (existing && !refersToSame(existing, reference)) {
    throw new Error(
      `${describe(object)} is already owned by another ${existing.kind} controller ${existing.name}`,
    );
  }
  return withReference(object, reference);
}

/** The object without the reference to `owner`. */
export function removeOwnerReference<T extends KubeObject>(object: T, owner: KubeObject): T {
  const references = object.metadata?.ownerReferences ?? [];
  const kept = references.filter(({ uid }) => uid !== owner.metadata?.uid);
  if (kept.length === references.length) return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}

/** The reference to the controller of an object, if it has one. */
export function getControllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** True when `owner`, and not an earlier object of the same name, is the controller of the object. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = getControllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata?.uid;
}

/** True when `owner`, and not an earlier object of the same name, is among the owners of the object. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const wanted = owner.metadata?.uid;
  return wanted !== undefined && !!object.metadata?.ownerReferences?.some(({ uid }) => uid === wanted);
}

function withReference<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const references = object.metadata?.ownerReferences ?? [];
  const at = references.findIndex((candidate) => refersToSame(candidate, reference));
  if (at !== -1 && deepEqual(references[at], reference)) return object;
  const ownerReferences = at === -1 ? [...references, reference] : references.with(at, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** Same group, kind and name: other versions of the kind, and a recreated owner's old uid, give way to the new one. */
function refersToSame(a: OwnerReference, b: OwnerReference): boolean {
  const group = parseApiVersion(a.apiVersion)?.group;
  return (
    group !== undefined &&
    group === parseApiVersion(b.apiVersion)?.group &&
    a.kind === b.kind &&
    a.name === b.name
  );
}

function checkNamespaces(object: KubeObject, owner: KubeObject): void {
  const ownerNamespace = owner.metadata?.namespace;
  const namespace = object.metadata?.namespace;
  if (!ownerNamespace || ownerNamespace === namespace) return;
  const why = namespace
    ? `cross-namespace owner references are disallowed, owner's namespace ${ownerNamespace}, ` +
      `object's namespace ${namespace}`
    : `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${ownerNamespace}`;
  throw new TerminalError(`${describe(object)}: ${why}`);
}

function describe({ kind, metadata }: KubeObject): string {
  const path = [metadata?.namespace, metadata?.name ?? metadata?.generateName].filter(Boolean).join("/");
  return `${kind ?? "object"} ${path}`.trimEnd();
}
