// The discovery documents of kube-apiserver's own resources, for a server that must answer the same.
import { discoveryTable } from "../generated/discovery-table.js";
import type { GroupVersionKind, ResourceScope } from "../resource.js";
import { lazy } from "./lazy.js";

/** `log`, `scale`, … of a resource. */
export interface DiscoverySubresource {
  readonly subresource: string;
  /** Empty group and version stand for those of the resource. */
  readonly responseKind: GroupVersionKind;
  /** The kind of the request body, where it differs from `responseKind`. */
  readonly acceptedTypes?: readonly GroupVersionKind[];
  readonly verbs: readonly string[];
}

/** One resource of a group version, as aggregated discovery lists it. */
export interface DiscoveryResource {
  readonly resource: string;
  /** Empty group and version stand for those the resource is listed under. */
  readonly responseKind: GroupVersionKind;
  readonly scope: ResourceScope;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoverySubresource[];
}

/** One group; the core group has no name. Versions stand in the order of preference. */
export interface DiscoveryGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly DiscoveryResource[];
    readonly freshness: "Current" | "Stale";
  }[];
}

const groups = lazy((): readonly DiscoveryGroup[] => JSON.parse(`[${discoveryTable.replaceAll("\n", ",")}]`));

/** The items of the server's aggregated discovery documents, the core group first. Shared: not to be changed. */
export function discoveryGroups(): readonly DiscoveryGroup[] {
  return groups();
}
