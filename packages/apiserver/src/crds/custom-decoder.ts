// Decodes a body into a custom resource: metadata as in every object, the rest by the schema of the version.

import type { GroupVersionKind } from "@kubewright/api";
import { type Normalization, normalizeMetadata, type ObjectDecoder } from "@kubewright/machinery";
import { DefaultsTooLargeError, type NormalizeResult } from "@kubewright/schema/engine";
import { ObjectTooLarge } from "../storage/index.js";
import type { VersionSchema } from "./version-schema.js";

export function customDecoder(gvk: GroupVersionKind, version: VersionSchema): ObjectDecoder {
  return {
    gvk,
    custom: true,
    normalize(value, literals, isApplied) {
      const metadata = normalizeMetadata(value, literals);
      if (metadata.error !== undefined) return metadata;
      return combined(metadata, normalizeBySchema(version, value, isApplied ? "apply" : "request"));
    },
  };
}

function combined(metadata: Normalization, { unknownFields, error }: NormalizeResult): Normalization {
  if (error) return { error: `${error.field}: ${error.message}`, unknownFields: [] };
  return { unknownFields: [...metadata.unknownFields, ...unknownFields] };
}

function normalizeBySchema(
  { schema }: VersionSchema,
  value: unknown,
  source: "request" | "apply",
): NormalizeResult {
  try {
    return schema.normalize(value, source);
  } catch (error) {
    throw error instanceof DefaultsTooLargeError ? new ObjectTooLarge() : error;
  }
}
