// How a decoded body becomes an object of a custom kind: metadata as every object has it, the rest by its schema.
import type { GroupVersionKind, StructFacts } from "@kubewright/api";
import { typeFacts } from "@kubewright/api/facts";
import type { ResourceSchema } from "@kubewright/schema";
import { type DecodeTarget, isObject, normalizeNative } from "../codec/index.js";

const metadataType = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

export function customTarget(gvk: GroupVersionKind, schema: ResourceSchema): DecodeTarget {
  return {
    gvk,
    custom: true,
    fit(value, literals) {
      const metadata = fitMetadata(value["metadata"]);
      if (metadata.error !== undefined) return metadata;
      const { unknownFields, error } = schema.normalize(value);
      void literals;
      if (error) return { error: `${error.field}: ${error.message}`, unknownFields: [] };
      return { unknownFields: [...metadata.unknownFields, ...unknownFields] };
    },
  };
}

function fitMetadata(metadata: unknown) {
  const facts = typeFacts(metadataType) as StructFacts;
  if (!isObject(metadata)) return { unknownFields: [] };
  const { error, unknownFields } = normalizeNative(metadata, facts);
  return { error, unknownFields: unknownFields.map((field) => `metadata.${field}`) };
}
