// A resource may be read as less than it is. A descriptor that says so works with every verb that reads, so that whatever
// takes a descriptor (a cache, a wait) needs no second form for metadata alone.
import {
  apiVersionOf,
  isObject,
  type KubeObject,
  type ObjectMeta,
  type ResourceDescriptor,
} from "@kubewright/api";

/** An object of which only the metadata was asked for; `apiVersion` and `kind` are those of the object. */
export interface PartialObjectMetadata extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A descriptor that reads metadata alone. */
export interface MetadataDescriptor extends ResourceDescriptor<PartialObjectMetadata> {
  readonly view: "metadata";
}

/**
 * The same resource, read as metadata alone: much less to transfer and to keep.
 *
 * @example
 * for await (const { metadata } of client.items(metadataOnly(Secret))) console.log(metadata.name);
 */
export function metadataOnly(resource: ResourceDescriptor<unknown, unknown>): MetadataDescriptor {
  const { group, version, kind, plural, singular, scope, shortNames, categories, verbs, subresources } =
    resource;
  return {
    group,
    version,
    kind,
    plural,
    singular,
    scope,
    shortNames,
    categories,
    verbs,
    subresources,
    view: "metadata",
  };
}

const as = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/** The `accept` header for a resource; a server that cannot reduce an object sends it whole. */
export function acceptOf(resource: ResourceDescriptor): string | undefined {
  return isMetadata(resource) ? `${as("PartialObjectMetadata")},application/json` : undefined;
}

/** The same for a list of such objects. */
export function acceptListOf(resource: ResourceDescriptor): string | undefined {
  return isMetadata(resource) ? `${as("PartialObjectMetadataList")},application/json` : undefined;
}

/** An object as its descriptor views it. */
export function viewed(resource: ResourceDescriptor, object: unknown): unknown {
  if (!isMetadata(resource) || !isObject(object)) return object;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: object["metadata"] ?? {} };
}

/** True for what `metadataOnly` made. */
export function isMetadata(resource: ResourceDescriptor): boolean {
  return "view" in resource && resource.view === "metadata";
}
