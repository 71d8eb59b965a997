// Decodes a body into a custom resource: metadata as in every object, the rest by the schema of the version.

import type { GroupVersionKind } from "@kubewright/api";
import { type DecodeTarget, type FitResult, normalizeMetadata } from "@kubewright/machinery";
import { DefaultsTooLargeError, type NormalizeResult } from "@kubewright/schema/engine";
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
