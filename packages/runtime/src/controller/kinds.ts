// The kinds a controller declares, and its access to them. The declaration decides what `ctx` lets it do, what its caches
// hold, and what its permissions are derived from.
import type { KubeObject, ObjectOf, ResourceDescriptor } from "@kubewright/api";
import type { Predicate } from "./predicates.js";

/** Any kind. */
export type AnyResource = ResourceDescriptor<KubeObject, KubeObject>;

/** Verbs of writing as RBAC has them: `apply` needs `create` and `patch`. */
export type OwnedVerb = "create" | "patch" | "delete";

/** A kind whose objects are children of the controller's own, made with `owned`. */
export interface Owned<Kind extends AnyResource = AnyResource> {
  readonly resource: Kind;
  /** The verbs used on children beside reading them. Default: all. */
  readonly verbs?: readonly OwnedVerb[] | undefined;
  /** The predicate: which changes cause a reconcile of the owner. Default: all. */
  readonly when?: Predicate | undefined;
}

/** A kind that is read and written without being watched, or only read: made with `readOnly`. */
export interface Used<Kind extends AnyResource = AnyResource, Access extends UsedAccess = UsedAccess> {
  readonly resource: Kind;
  readonly access: Access;
}

export type UsedAccess = "read" | "write";

/** The kind an entry of `owns`, `watches` or `uses` is about: entries may be plain kinds. */
export type KindOf<Entry> = Entry extends { readonly resource: infer Kind } ? Kind : Entry;

/** The kinds among the entries of `uses` that may be written. */
export type WritableKindOf<Entry> = Entry extends { readonly access: "read" } ? never : KindOf<Entry>;

/** Options of an owned kind. */
export interface OwnedOptions<Kind extends AnyResource> {
  /** The predicate: which changes cause a reconcile of the owner. Default: all. */
  readonly when?: Predicate<ObjectOf<Kind> & KubeObject> | undefined;
  /** The verbs used on children beside reading them, for the derived permissions. Default: create, patch and delete. */
  readonly verbs?: readonly OwnedVerb[] | undefined;
}

/**
 * Narrows which changes of children count, and what may be done to them.
 *
 * @example
 * owns: [Service, owned(Deployment, { when: generationChanged, verbs: ["create", "patch"] })]
 */
export function owned<const Kind extends AnyResource>(
  resource: Kind,
  { when, verbs }: OwnedOptions<Kind> = {},
): Owned<Kind> {
  // The controller calls it only with objects of this kind.
  return { resource, when: when as unknown as Predicate | undefined, verbs };
}

/**
 * A kind that is only read, so that no permission to write it is asked for.
 *
 * @example
 * uses: [readOnly(Secret)]
 */
export function readOnly<const Kind extends AnyResource>(resource: Kind): Used<Kind, "read"> {
  return { resource, access: "read" };
}

/** `deployments.apps/v1`: equal for descriptors of the same kind in the same version. */
export function kindIdentity({ plural, group, version }: ResourceDescriptor): string {
  return `${plural}.${group}/${version}`;
}
