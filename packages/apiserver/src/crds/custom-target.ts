// How a decoded body becomes an object of a custom kind: metadata as every object has it, the rest by its schema.
import type { GroupVersionKind } from "@kubewright/api";
import { DefaultsTooLargeError, type NormalizeResult } from "@kubewright/schema/engine";
import { type DecodeTarget, type FitResult, normalizeMetadata } from "../codec/index.js";
import { ObjectTooLarge } from "../storage/index.js";
import type { VersionSchema } from "./version-schema.js";

export function customTarget(gvk: GroupVersionKind, version: VersionSchema): DecodeTarget {
  return {
    gvk,
    custom: true,
    fit(value, literals) {
      const metadata = normalizeMetadata(value, literals);
      return metadata.error === undefined ? fitted(metadata, normalize(version, value)) : metadata;
    },
  };
}

function fitted(metadata: FitResult, { unknownFields, error }: NormalizeResult): FitResult {
  if (error) return { error: `${error.field}: ${error.message}`, unknownFields: [] };
  return { unknownFields: [...metadata.unknownFields, ...unknownFields] };
}

function normalize({ schema }: VersionSchema, value: unknown): NormalizeResult {
  try {
    return schema.normalize(value);
  } catch (error) {
    throw error instanceof DefaultsTooLargeError ? new ObjectTooLarge() : error;
  }
}
