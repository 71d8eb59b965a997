// How a decoded body becomes an object of a custom kind: metadata as every object has it, the rest by its schema.
import type { GroupVersionKind } from "@kubewright/api";
import { DefaultsTooLargeError, type NormalizeResult } from "@kubewright/schema/engine";
import { type DecodeTarget, type FitResult, leftKeys, normalizeMetadata } from "../codec/index.js";
import { ObjectTooLarge } from "../storage/index.js";
import type { VersionSchema } from "./version-schema.js";

export function customTarget(gvk: GroupVersionKind, version: VersionSchema): DecodeTarget {
  return {
    gvk,
    custom: true,
    fit(value, literals) {
      const metadata = normalizeMetadata(value, literals);
      return metadata.error === undefined ? fitted(metadata, normalized(version, value)) : metadata;
    },
    fittingSteps(value, literals) {
      const metadata = normalizeMetadata(value, literals);
      return metadata.error === undefined ? fitted(metadata, normalizing(version, value)) : metadata;
    },
  };
}

function fitted(metadata: FitResult, { unknownFields, error }: NormalizeResult): FitResult {
  if (error) return { error: `${error.field}: ${error.message}`, unknownFields: [] };
  return { unknownFields: [...metadata.unknownFields, ...unknownFields] };
}

function normalized({ schema }: VersionSchema, value: unknown): NormalizeResult {
  try {
    return schema.normalize(value);
  } catch (error) {
    throw refusal(error);
  }
}

function normalizing({ schema }: VersionSchema, value: unknown): NormalizeResult {
  try {
    return schema.normalizing(value, "request", leftKeys);
  } catch (error) {
    throw refusal(error);
  }
}

const refusal = (error: unknown): unknown =>
  error instanceof DefaultsTooLargeError ? new ObjectTooLarge() : error;
