// Objects reduced to their metadata, for clients that need no more.
import type { JsonObject } from "@kubewright/api";

/** The `PartialObjectMetadata` of an object. */
export function partialObjectMetadata(_object: JsonObject, _version?: "v1" | "v1beta1"): JsonObject {
  throw new Error("not implemented yet");
}

/** The `PartialObjectMetadataList` of a list. */
export function partialObjectMetadataList(
  _listMeta: JsonObject,
  _objects: readonly JsonObject[],
  _version?: "v1" | "v1beta1",
): JsonObject {
  throw new Error("not implemented yet");
}
