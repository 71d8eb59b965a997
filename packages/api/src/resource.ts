// A descriptor says at run time what TypeScript knows only at compile time: which endpoint serves a kind.

/** The scope of a kind: in a namespace, or in the cluster as a whole. */
export type ResourceScope = "Namespaced" | "Cluster";

/** A version of an API group; the core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Names a kind, as `apiVersion` and `kind` of an object do. */
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** Names a resource, as a URL does. */
export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

declare const objectType: unique symbol;
declare const inputType: unique symbol;

/**
 * Everything a client must know of a kind, and its static types. `T` is what the server returns, `Input` what a
 * user may write (they differ for custom resources with defaults).
 *
 * @example
 * const deployment = await client.get(Deployment, "web", { namespace: "shop" }); // typed as Deployment
 */
export interface ResourceDescriptor<T = unknown, Input = T> extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly scope: ResourceScope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Names such as `status`, `scale`, `log`. */
  readonly subresources: readonly string[];
  /** Carries the types; never present at run time. */
  readonly [objectType]?: T;
  readonly [inputType]?: Input;
}

/** The object type behind a descriptor. */
export type ObjectOf<D> = D extends ResourceDescriptor<infer T, infer _Input> ? T : never;

/** The type a user may write for a descriptor: defaults left out. */
export type InputOf<D> = D extends ResourceDescriptor<infer _T, infer Input> ? Input : never;

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Splits `apps/v1` or `v1`; undefined when there is more than one slash or an empty part. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split("/");
  const [first, second] = parts;
  if (parts.length === 1 && first) return { group: "", version: first };
  if (parts.length === 2 && first && second) return { group: first, version: second };
  return undefined;
}
