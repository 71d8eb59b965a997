// How a decoded body becomes an object of a custom kind: metadata as every object has it, the rest by its schema.
import type { GroupVersionKind } from "@kubewright/api";
import { type DecodeTarget, normalizeMetadata } from "../codec/index.js";
import type { VersionSchema } from "./version-schema.js";

export function customTarget(gvk: GroupVersionKind, version: VersionSchema): DecodeTarget {
  return {
    gvk,
    custom: true,
    fit(value, literals) {
      const metadata = normalizeMetadata(value, literals);
      if (metadata.error !== undefined) return metadata;
      const { unknownFields, error } = version.schema.normalize(value);
      if (error) return { error: `${error.field}: ${error.message}`, unknownFields: [] };
      return { unknownFields: [...metadata.unknownFields, ...unknownFields] };
    },
  };
}
