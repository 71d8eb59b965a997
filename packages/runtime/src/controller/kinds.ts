// The kinds a controller declares, and its access to them. The declaration decides what `ctx` lets it do, what its caches
// hold, and what its permissions are derived from.
import type { KubeObject, ObjectOf, ResourceDescriptor } from "@kubewright/api";
import type { Predicate } from "./predicates.js";

/** The descriptor of any kind, built-in or custom. */
export type AnyResource = ResourceDescriptor<KubeObject, KubeObject>;

/** Verbs of writing as RBAC has them. `ctx.apply` needs `patch`, and `create` for objects that may be absent. */
export type WriteVerb = "create" | "patch" | "delete";

export const writeVerbs: readonly WriteVerb[] = ["create", "patch", "delete"];

/** A kind whose objects are children of the controller's own, made with `owned`. */
export interface Owned<Kind extends AnyResource = AnyResource> {
  readonly resource: Kind;
  /** The verbs used on children beside reading them. */
  readonly verbs: readonly WriteVerb[];
  /** The predicate: which changes cause a reconcile of the owner. Default: all. */
  readonly when?: Predicate | undefined;
}

/** A kind that is read and written without being a child, made with `used`, or only read, made with `readOnly`. */
export interface Used<
  Kind extends AnyResource = AnyResource,
  Verbs extends readonly WriteVerb[] = readonly WriteVerb[],
> {
  readonly resource: Kind;
  /** The verbs used on its objects beside reading them. */
  readonly verbs: Verbs;
}

/** The kind an entry of `owns`, `watches` or `uses` is about: entries may be plain kinds. */
export type KindOf<Entry> = Entry extends { readonly resource: infer Kind } ? Kind : Entry;

/** The kinds among the entries of `uses` that may be written. */
export type WritableKindOf<Entry> = Entry extends { readonly verbs: readonly [] } ? never : KindOf<Entry>;

/** The verbs that a controller uses on the objects of a kind; its permissions follow from them. */
export interface WriteOptions {
  /**
   * The verbs used on its objects beside reading them: the derived permissions have these and no others, and `ctx` refuses the
   * rest. Default: create, patch and delete.
   */
  readonly verbs?: readonly WriteVerb[] | undefined;
}

/** The kind, where the controller declared that it reads it; else the sentence that the compiler shows in its place. */
export type ReadableKind<Kind, Readable> = Declared<
  Kind,
  Readable,
  `${NameOf<Kind>} is not declared: add it to owns or watches, or readOnly(${NameOf<Kind>}) to uses`
>;

/** The kind, where the controller declared that it writes it; else the sentence that the compiler shows in its place. */
export type WritableKind<Kind, Writable> = Declared<
  Kind,
  Writable,
  `${NameOf<Kind>} is not declared for writing: add it to owns, or to uses if its objects are not children`
>;

/** Where any kind is allowed the compiler need not know which it is, so that code for all kinds type-checks. */
type Declared<Kind, Allowed, Remedy> = AnyResource extends Allowed
  ? Kind
  : [Kind] extends [Allowed]
    ? Kind
    : Remedy;

type NameOf<Kind> =
  ObjectOf<Kind> extends { readonly kind?: infer Name } ? Extract<Name, string> : "this kind";

/** Which changes of a kind of children cause a reconcile of the owner, and which verbs are used on them. */
export interface OwnedOptions<Kind extends AnyResource> extends WriteOptions {
  /** The predicate: which changes cause a reconcile of the owner. Default: all. */
  readonly when?: Predicate<ObjectOf<Kind> & KubeObject> | undefined;
}

/**
 * Narrows which changes of children count, and what may be done to them.
 *
 * @example
 * owns: [Service, owned(Deployment, { when: generationChanged, verbs: ["create", "patch"] })]
 */
export function owned<const Kind extends AnyResource>(
  resource: Kind,
  { when, verbs = writeVerbs }: OwnedOptions<Kind> = {},
): Owned<Kind> {
  // The controller calls it only with objects of this kind.
  return { resource, when: when as unknown as Predicate | undefined, verbs };
}

/**
 * A kind that is written without being a child, with the verbs it is written with.
 *
 * @example
 * uses: [used(HorizontalPodAutoscaler, { verbs: ["patch"] })]
 */
export function used<const Kind extends AnyResource>(
  resource: Kind,
  { verbs = writeVerbs }: WriteOptions = {},
): Used<Kind> {
  return { resource, verbs };
}

/**
 * A kind that is only read, so that no permission to write it is asked for.
 *
 * @example
 * uses: [readOnly(Secret)]
 */
export function readOnly<const Kind extends AnyResource>(resource: Kind): Used<Kind, readonly []> {
  return { resource, verbs: [] };
}

/** `deployments.apps/v1`: equal for descriptors of the same kind in the same version. */
export function kindIdentity({ plural, group, version }: ResourceDescriptor): string {
  return `${plural}.${group}/${version}`;
}
